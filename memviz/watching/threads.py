"""Finds the new messages in a request that repeats the conversation so far.

A program sends its history with every request, and after a compaction less of it: trimmed,
cleared, or replaced by a summary. The log in the library only grows. ``recorder`` gives each
exchange to :class:`Threads`, which finds the conversation that it belongs to, the messages
that are new, and the compaction if the program sent less than before. It remembers digests
of what each conversation sent last, never the texts.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from uuid import uuid4

from memviz.core.messages import Message
from memviz.core.recently_used import RecentlyUsed
from memviz.transcripts.base import RecordedEvent
from memviz.watching.exchanges import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Exchange,
    add_bill,
    add_request_time,
    digest_message,
)
from memviz.watching.keeper import count_same_beginning

MOST_THREADS = 512
MOST_DIGESTS = 1_000_000
"""The most digests of all conversations together; one takes about a hundred bytes."""
OPENING_CHARS = 64
NOWHERE = -1
SENT_LESS = "a request with less of the history"
"""The reason of a compaction that shows only in the request after it."""

# How well an exchange belongs to a conversation, from the least.
_SAME_NAME = 1
_HOLDS_NEWEST = 2
_GOES_ON = 3


class NewMessages(NamedTuple):
    """The messages that one exchange adds to a conversation."""

    conversation: str
    """The key of the conversation."""
    messages: tuple[Message, ...]
    keys: tuple[str, ...]
    """The key of each message: a digest of what it says, and how often that was said so
    far. It is the same when the conversation is read from its beginning once more."""
    compaction: RecordedEvent | None = None
    """The compaction before them, without its position in the log."""
    prompt: str | None = None
    """The system prompt, if these messages are the first."""


@dataclass(slots=True)
class _Thread:
    """The last request of one conversation, and its reply."""

    key: str
    name: str
    """The program's own id of the conversation or of its trace. Not unique."""
    is_named: bool
    opening: str
    """The beginning of its system prompt; programs edit the rest from time to time."""
    prompts: set[bytes] = field(default_factory=set)
    """Digests of the system messages that its first request began with."""
    sent: list[bytes] = field(default_factory=list)
    """Digests of the last request and its reply, without the system prompt."""
    places: list[int] = field(default_factory=list)
    """Where each of ``sent`` stands in the log so far; ``NOWHERE`` for what was put in place
    of other messages."""
    asked: int = 0
    """The number of ``sent`` that are the request; the others are the reply."""
    times: Counter[bytes] = field(default_factory=Counter)
    """How often each message stands in the log so far."""
    tokens: int | None = None
    """The tokens of the last request and its reply, as billed."""

    @property
    def size(self) -> int:
        """The number of digests that are remembered."""
        return len(self.sent) + len(self.times)

    def fit(
        self, exchange: Exchange, opening: str, said: list[bytes]
    ) -> tuple[int, int]:
        """Return how well an exchange belongs here, the larger the better; (0, 0) where
        it does not."""
        is_same_name = bool(self.name) and self.name == exchange.name
        if exchange.conversation and not is_same_name:
            return (0, 0)
        same = count_same_beginning(self.sent, said)
        # A request that is no longer than the last one may have been sent again or have
        # come late. Only its name can tell that it is not another conversation.
        is_again = is_same_name and opening in ("", self.opening)
        if same >= min(self.asked, len(said)) and (len(said) > self.asked or is_again):
            return (_GOES_ON, same)
        if self.sent and self.sent[-1] in said[same:]:
            return (_HOLDS_NEWEST, len(set(self.sent).intersection(said)))
        if is_same_name and self.opening == opening:
            return (_SAME_NAME, 0)
        return (0, 0)

    def split(self, said: list[bytes], roles: Sequence[str]) -> _Split:
        """Return where the new messages of a request begin, and whether earlier ones are
        missing."""
        same = count_same_beginning(self.sent, said)
        new = same
        has_less = same < self.asked
        if has_less and same < len(said):
            stayed = set(self.sent[same:])
            places = [i for i in range(same, len(said)) if said[i] in stayed]
            # If nothing of the history stayed, only the last message is new.
            new = places[-1] + 1 if places else len(said) - 1
        if self.asked and new and said[new - 1] == self.sent[self.asked - 1]:
            # Programs may change a reply before they send it back: it is not a new one.
            replied = len(self.sent) - self.asked
            stop = min(new + replied, len(said))
            start = new
            while new < stop and roles[new] == "assistant":
                new += 1
            has_less = has_less or (start == new < stop)
        return _Split(new, has_less)

    def find_places(self, said: Sequence[bytes], roles: Sequence[str]) -> list[int]:
        """Return the position in the log of each earlier message of a request."""
        sent_before = set(self.sent)
        places = [NOWHERE] * len(said)
        stop = len(self.sent)
        # From the newest on: of equal messages, the later ones are those that stayed.
        for index in reversed(range(len(said))):
            sent_index = stop - 1
            if said[index] in sent_before:
                while sent_index >= 0 and self.sent[sent_index] != said[index]:
                    sent_index -= 1
            elif not self._stands_for_reply(said, roles, index, sent_index):
                continue
            if sent_index >= 0:
                places[index] = self.places[sent_index]
                stop = sent_index
        return places

    def _stands_for_reply(
        self, said: Sequence[bytes], roles: Sequence[str], index: int, sent_index: int
    ) -> bool:
        """Return whether the message ``said[index]`` takes the place of the reply
        ``sent[sent_index]``, behind the same question: the program changed the reply."""
        asked = index - (sent_index - self.asked) - 1
        is_reply = roles[index] == "assistant" and 0 < self.asked <= sent_index
        return is_reply and asked >= 0 and said[asked] == self.sent[self.asked - 1]

    def name_new(self, digests: Iterable[bytes]) -> tuple[str, ...]:
        """Return the keys of messages that are appended now, and count them."""
        keys = []
        for digest in digests:
            self.times[digest] += 1
            keys.append(f"{digest.hex()}.{self.times[digest]}")
        return tuple(keys)


class _Split(NamedTuple):
    """The parts of a request."""

    new: int
    """The index of the first new message. Before it are messages that stayed, and those
    that were put in place of others, such as a summary."""
    has_less: bool
    """Earlier messages are missing: the program compacted."""


class KeptBeginning(NamedTuple):
    """A stored conversation from which a request goes on."""

    conversation: str
    messages: int
    """The number of first messages of the request that are that conversation."""


@dataclass(eq=False, repr=False)
class Threads:
    """The conversations of the newest exchanges. One thread of the process at a time."""

    find_kept: Callable[[Sequence[bytes]], KeptBeginning | None] = lambda said: None
    """Looks up in the library a request that goes on from no remembered conversation, by
    the digests of its messages: an earlier process may have stored it."""
    _by_key: OrderedDict[str, _Thread] = field(default_factory=OrderedDict)
    _by_reply: RecentlyUsed[str, str] = field(
        default_factory=lambda: RecentlyUsed(MOST_THREADS)
    )
    """The key of the conversation of each reply that has an id."""
    _digests: int = 0
    _newest: tuple[_Thread, _Thread] | None = None
    """The conversation of the newest exchange, and a copy from before it."""

    def take(self, exchange: Exchange) -> NewMessages | None:
        """Return the new messages of an exchange; ``None`` if there are none."""
        if not exchange.sent and not exchange.reply:
            return None
        prompt, said = _split_prompt(exchange.sent)
        digests = list(map(digest_message, said))
        thread = self._find_followed(exchange)
        if thread is None:
            opening = prompt[0].content[:OPENING_CHARS] if prompt else ""
            thread = self._find(exchange, opening, digests)
        else:
            # The server keeps the history and puts it in front of the request.
            place_holders = (Message("user", ""),) * len(thread.sent)
            said = (*place_holders, *said)
            digests = [*thread.sent, *digests]
        size = thread.size
        self._newest = (thread, replace(thread))
        new = _take_new(thread, exchange, prompt, said, digests)
        self._digests += thread.size - size
        if exchange.id:
            self._by_reply.put(exchange.id, thread.key)
        self._forget_quiet()
        return new

    def take_back(self, new: NewMessages) -> None:
        """Forget the newest exchange, which could not be stored: the next one of its
        conversation will bring its messages again."""
        if self._newest is None:
            return
        thread, before = self._newest
        self._digests -= thread.size
        for key in new.keys:
            thread.times[bytes.fromhex(key.partition(".")[0])] -= 1
        before.times = +thread.times  # "+" drops counts of 0
        if before.sent:
            self._by_key[thread.key] = before
            self._digests += before.size
        else:
            self._by_key.pop(thread.key, None)

    def _find_followed(self, exchange: Exchange) -> _Thread | None:
        """Return the conversation of the reply that an exchange names as its previous one."""
        key = self._by_reply.get(exchange.follows)
        return self._by_key.get(key) if key else None

    def _find(self, exchange: Exchange, opening: str, said: list[bytes]) -> _Thread:
        """Return the conversation that an exchange fits best; a new one if it fits none."""
        best_thread = None
        best = (0, 0)
        for thread in self._by_key.values():
            if thread.is_named == bool(exchange.conversation):
                fit = thread.fit(exchange, opening, said)
                if fit > best:
                    best = fit
                    best_thread = thread
        if best_thread is None:
            best_thread = self._go_on(exchange, opening, said)
        if best_thread is None:
            key = self._new_key(exchange.name)
            is_named = bool(exchange.conversation)
            best_thread = _Thread(key, exchange.name, is_named, opening)
            self._by_key[key] = best_thread
        if not best_thread.is_named:
            best_thread.name = exchange.trace  # of its newest turn
        self._by_key.move_to_end(best_thread.key)
        return best_thread

    def _go_on(
        self, exchange: Exchange, opening: str, said: list[bytes]
    ) -> _Thread | None:
        """Return the stored conversation from which an exchange without a name goes on;
        ``None`` if there is none."""
        if exchange.conversation or len(said) < 2:
            return None
        kept = self.find_kept(said)
        if kept is None or kept.conversation in self._by_key:
            return None
        thread = _Thread(kept.conversation, exchange.name, False, opening)
        prompt, _said = _split_prompt(exchange.sent)
        thread.prompts = set(map(digest_message, prompt))
        thread.sent = said[: kept.messages]
        thread.places = list(range(kept.messages))
        thread.asked = kept.messages
        thread.times = Counter(thread.sent)
        self._by_key[thread.key] = thread
        self._digests += thread.size
        return thread

    def _new_key(self, name: str) -> str:
        """Return the key of a new conversation: "chat", "chat #2" if that is taken, or a
        random one without a name."""
        if not name:
            return str(uuid4())
        key = name
        number = 1
        while key in self._by_key:
            number += 1
            key = f"{name} #{number}"
        return key

    def _forget_quiet(self) -> None:
        """Forget the conversations that were not used for longest while there are too many."""
        while len(self._by_key) > 1 and (
            len(self._by_key) > MOST_THREADS or self._digests > MOST_DIGESTS
        ):
            _key, thread = self._by_key.popitem(last=False)
            self._digests -= thread.size


def _take_new(
    thread: _Thread,
    exchange: Exchange,
    prompt: Sequence[Message],
    said: Sequence[Message],
    digests: list[bytes],
) -> NewMessages | None:
    """Return what an exchange adds to a conversation, and remember what it sent."""
    replied = list(map(digest_message, exchange.reply))
    whole = [*digests, *replied]
    if thread.sent and thread.sent[: len(whole)] == whole:
        return None  # the exchange came twice, or late
    roles = [message.role for message in said]
    split = thread.split(digests, roles)
    places = thread.find_places(digests[: split.new], roles[: split.new])
    compaction = None
    if split.has_less:
        compaction = _make_compaction(thread, exchange, places, prompt, said)
    instructions = None
    if not thread.sent:
        thread.prompts = set(map(digest_message, prompt))
        instructions = "\n\n".join(message.content for message in prompt)
    logged = thread.times.total()
    keys = thread.name_new(whole[split.new :])
    thread.sent = whole
    thread.places = [*places, *range(logged, logged + len(keys))]
    thread.asked = len(digests)
    thread.tokens = _count_all_tokens(exchange)
    messages = (
        *add_request_time(said[split.new :], exchange.asked_at),
        *add_bill(exchange),
    )
    if not messages:
        return None
    return NewMessages(thread.key, messages, keys, compaction, instructions)


def _make_compaction(
    thread: _Thread,
    exchange: Exchange,
    places: Sequence[int],
    prompt: Sequence[Message],
    said: Sequence[Message],
) -> RecordedEvent:
    """Return the compaction that shows in a request with less of the history. Messages of
    the system or the user that took the place of others are its summary. ``places`` are the
    log positions of the messages of ``said`` that are not new."""
    # A new system message in front of the request took the place of others as well.
    put_in = [
        message for message in prompt if digest_message(message) not in thread.prompts
    ]
    for message, place in zip(said, places, strict=False):
        if place == NOWHERE:
            put_in.append(message)
    texts = [
        message.content for message in put_in if message.role in ("system", "user")
    ]
    stayed = [place for place in places if place != NOWHERE]
    logged = thread.times.total()
    first = count_same_beginning(stayed, range(logged))
    newest = stayed[first:]
    are_newest = newest == list(range(logged - len(newest), logged))
    is_all_told = are_newest and len(texts) == len(put_in)
    return RecordedEvent(
        "compaction",
        0,
        "\n".join(texts),
        SENT_LESS,
        thread.tokens,
        exchange.usage.get(INPUT_TOKENS),
        part="up_to" if stayed else "",
        time=exchange.asked_at,
        kept_first=first if is_all_told and first else None,
        kept_newest=len(newest) if is_all_told else None,
    )


def _count_all_tokens(exchange: Exchange) -> int | None:
    if INPUT_TOKENS not in exchange.usage:
        return None
    return exchange.usage[INPUT_TOKENS] + exchange.usage.get(OUTPUT_TOKENS, 0)


def _split_prompt(
    prompt: Sequence[Message],
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Split a request into its leading system messages and all others."""
    stop = 0
    while stop < len(prompt) and prompt[stop].role == "system":
        stop += 1
    return tuple(prompt[:stop]), tuple(prompt[stop:])
