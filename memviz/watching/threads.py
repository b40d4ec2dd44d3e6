"""Finding the new part of a request that repeats its history: the messages to append, and the
compaction where a program sent less than before.

A log is only appended to. A program sends its history with every request, and at some
time less of it: trimmed, cleared, replaced by a summary. ``Threads`` remembers digests of
what each conversation sent last, never the texts.
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
    billed_reply,
    digest_message,
    timed_request,
)
from memviz.watching.keeper import count_same_beginning

MOST_THREADS = 512
MOST_DIGESTS = 1_000_000
"""Of all conversations together; one takes about a hundred bytes."""
OPENING_CHARS = 64
NOWHERE = -1
SENT_LESS = "a request with less of the history"
"""The reason of a compaction that is seen in what was sent."""

# How well an exchange belongs to a conversation, from the least.
_SAME_NAME = 1
_HOLDS_NEWEST = 2
_GOES_ON = 3


class NewWords(NamedTuple):
    """The messages that one exchange adds to a conversation."""

    conversation: str
    """The same for all that belongs to it."""
    messages: tuple[Message, ...]
    keys: tuple[str, ...]
    """What each message is known again by, also when the conversation is seen from its
    beginning once more: what it says, and how often that was said before."""
    compaction: RecordedEvent | None = None
    """The compaction before them; it does not say how many messages there were."""
    prompt: str | None = None
    """The system prompt, where these messages are the first."""


@dataclass(slots=True)
class _Thread:
    """The last request of one conversation, and its reply."""

    key: str
    name: str
    """The program's own id of it, or of its trace; several threads may have one."""
    is_named: bool
    opening: str
    """The beginning of its system prompt, which programs edit further on."""
    prompts: set[bytes] = field(default_factory=set)
    """Digests of the system messages that its first request began with."""
    sent: list[bytes] = field(default_factory=list)
    """Digests of the last request and its reply, without the system prompt."""
    places: list[int] = field(default_factory=list)
    """Where each of ``sent`` stands in the log so far; ``NOWHERE`` for what was put in place
    of other messages."""
    asked: int = 0
    """How many of them the request had; the others are the reply."""
    times: Counter[bytes] = field(default_factory=Counter)
    """How often each message was said in the log so far."""
    tokens: int | None = None
    """Those of the last request and its reply, as billed."""

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
        # A request as it was before, or as it begins, is told twice, late or once more
        # where its name says so. Otherwise it is of another conversation.
        is_again = is_same_name and opening in ("", self.opening)
        if same >= min(self.asked, len(said)) and (len(said) > self.asked or is_again):
            return (_GOES_ON, same)
        if self.sent and self.sent[-1] in said[same:]:
            return (_HOLDS_NEWEST, len(set(self.sent).intersection(said)))
        if is_same_name and self.opening == opening:
            return (_SAME_NAME, 0)
        return (0, 0)

    def split(self, said: list[bytes], roles: Sequence[str]) -> _Split:
        """Return what of a request was sent before, and what is new."""
        same = count_same_beginning(self.sent, said)
        new = same
        has_less = same < self.asked
        if has_less and same < len(said):
            stayed = set(self.sent[same:])
            places = [i for i in range(same, len(said)) if said[i] in stayed]
            # Without any of them, what is asked now is the last message.
            new = places[-1] + 1 if places else len(said) - 1
        if self.asked and new and said[new - 1] == self.sent[self.asked - 1]:
            # Programs may change a reply before they send it again: it is no new one.
            replied = len(self.sent) - self.asked
            stop = min(new + replied, len(said))
            start = new
            while new < stop and roles[new] == "assistant":
                new += 1
            has_less = has_less or (start == new < stop)
        return _Split(new, has_less)

    def find_places(self, said: Sequence[bytes], roles: Sequence[str]) -> list[int]:
        """Return where each message of a request that is not new stands in the log."""
        sent_before = set(self.sent)
        places = [NOWHERE] * len(said)
        stop = len(self.sent)
        # From the newest on: of words that were said twice, the later ones stay.
        for number in reversed(range(len(said))):
            at = stop - 1
            if said[number] in sent_before:
                while at >= 0 and self.sent[at] != said[number]:
                    at -= 1
            elif roles[number] != "assistant" or not self._replies(said, number, at):
                continue
            if at >= 0:
                places[number] = self.places[at]
                stop = at
        return places

    def _replies(self, said: Sequence[bytes], number: int, at: int) -> bool:
        """Return whether a message of a request stands where the reply ``sent[at]`` did,
        behind what was asked: the program changed it."""
        asked = number - (at - self.asked) - 1
        is_reply = 0 < self.asked <= at
        return is_reply and asked >= 0 and said[asked] == self.sent[self.asked - 1]

    def name_new(self, digests: Iterable[bytes]) -> tuple[str, ...]:
        """Return the keys of messages that are appended now."""
        keys = []
        for digest in digests:
            self.times[digest] += 1
            keys.append(f"{digest.hex()}.{self.times[digest]}")
        return tuple(keys)


class _Split(NamedTuple):
    """A request, taken apart: what was never sent before starts at ``new``. Before it are
    messages that stayed, and what was put in place of others."""

    new: int
    has_less: bool


class KeptBeginning(NamedTuple):
    """A conversation that is all in the library, of which a request has the history."""

    conversation: str
    messages: int
    """So many of the first messages of the request are that conversation."""


@dataclass(eq=False, repr=False)
class Threads:
    """The conversations of the newest exchanges. One thread of the process at a time."""

    find_kept: Callable[[Sequence[bytes]], KeptBeginning | None] = lambda said: None
    """Asked for the history of a request that goes on from no conversation that is
    remembered, as digests: an earlier process may have kept it."""
    _by_key: OrderedDict[str, _Thread] = field(default_factory=OrderedDict)
    _by_reply: RecentlyUsed[str, str] = field(
        default_factory=lambda: RecentlyUsed(MOST_THREADS)
    )
    """The key of the conversation of each reply that has an id."""
    _digests: int = 0
    _newest: tuple[_Thread, _Thread] | None = None
    """The conversation of the newest exchange, and the same before it."""

    def take(self, exchange: Exchange) -> NewWords | None:
        """Return what is new in an exchange; ``None`` where nothing is."""
        if not exchange.sent and not exchange.reply:
            return None
        prompt, said = _part_prompt(exchange.sent)
        digests = list(map(digest_message, said))
        thread = self._followed(exchange)
        if thread is None:
            opening = prompt[0].content[:OPENING_CHARS] if prompt else ""
            thread = self._find(exchange, opening, digests)
        else:
            # The server put what it kept in front of it.
            place_holders = (Message("user", ""),) * len(thread.sent)
            said = (*place_holders, *said)
            digests = [*thread.sent, *digests]
        size = thread.size
        self._newest = (thread, replace(thread))
        new = _take_new(thread, exchange, prompt, said, digests)
        self._digests += thread.size - size
        if exchange.id:
            self._by_reply.put(exchange.id, thread.key)
        self._let_go()
        return new

    def take_back(self, new: NewWords) -> None:
        """Take the newest exchange back, of which nothing could be kept: the next one of
        its conversation brings what was ``new`` again."""
        if self._newest is None:
            return
        thread, before = self._newest
        self._digests -= thread.size
        for key in new.keys:
            thread.times[bytes.fromhex(key.partition(".")[0])] -= 1
        before.times = +thread.times  # without those that are said no more
        if before.sent:
            self._by_key[thread.key] = before
            self._digests += before.size
        else:
            self._by_key.pop(thread.key, None)

    def _followed(self, exchange: Exchange) -> _Thread | None:
        """Return the conversation whose reply an exchange says that it goes on from."""
        key = self._by_reply.get(exchange.follows)
        return self._by_key.get(key) if key else None

    def _find(self, exchange: Exchange, opening: str, said: list[bytes]) -> _Thread:
        """Return the conversation that an exchange belongs to best, a new one where it
        belongs to none of those that are known."""
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
            best_thread = self._begin(exchange, opening)
        if not best_thread.is_named:
            best_thread.name = exchange.trace  # of its newest turn
        self._by_key.move_to_end(best_thread.key)
        return best_thread

    def _go_on(
        self, exchange: Exchange, opening: str, said: list[bytes]
    ) -> _Thread | None:
        """Return the conversation that the library has of an exchange without a name;
        ``None`` where it has none."""
        if exchange.conversation or len(said) < 2:
            return None
        kept = self.find_kept(said)
        if kept is None or kept.conversation in self._by_key:
            return None
        thread = _Thread(kept.conversation, exchange.name, False, opening)
        prompt, _said = _part_prompt(exchange.sent)
        thread.prompts = set(map(digest_message, prompt))
        thread.sent = said[: kept.messages]
        thread.places = list(range(kept.messages))
        thread.asked = kept.messages
        thread.times = Counter(thread.sent)
        self._by_key[thread.key] = thread
        self._digests += thread.size
        return thread

    def _begin(self, exchange: Exchange, opening: str) -> _Thread:
        """Return a new conversation."""
        key = self._new_key(exchange.name)
        thread = _Thread(key, exchange.name, bool(exchange.conversation), opening)
        self._by_key[key] = thread
        return thread

    def _new_key(self, name: str) -> str:
        """Return the key of a new conversation: its name, or a number beside it where
        another one has it, or something random."""
        if not name:
            return str(uuid4())
        key = name
        number = 1
        while key in self._by_key:
            number += 1
            key = f"{name} #{number}"
        return key

    def _let_go(self) -> None:
        """Forget the conversations that were quiet for longest, where there are too
        many."""
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
) -> NewWords | None:
    """Return what an exchange adds to a conversation, and remember what it sent."""
    replied = list(map(digest_message, exchange.reply))
    whole = [*digests, *replied]
    if thread.sent and thread.sent[: len(whole)] == whole:
        return None  # told twice, or late
    roles = [message.role for message in said]
    split = thread.split(digests, roles)
    places = thread.find_places(digests[: split.new], roles[: split.new])
    compaction = None
    if split.has_less:
        compaction = _compaction(thread, exchange, places, prompt, said)
    instructions = None
    if not thread.sent:
        thread.prompts = set(map(digest_message, prompt))
        instructions = "\n\n".join(message.content for message in prompt)
    logged = thread.times.total()
    keys = thread.name_new(whole[split.new :])
    thread.sent = whole
    thread.places = [*places, *range(logged, logged + len(keys))]
    thread.asked = len(digests)
    thread.tokens = _all_tokens(exchange)
    messages = (
        *timed_request(said[split.new :], exchange.asked_at),
        *billed_reply(exchange),
    )
    if not messages:
        return None
    return NewWords(thread.key, messages, keys, compaction, instructions)


def _compaction(
    thread: _Thread,
    exchange: Exchange,
    places: Sequence[int],
    prompt: Sequence[Message],
    said: Sequence[Message],
) -> RecordedEvent:
    """Return the compaction that a request with less of the history shows. What stands in
    place of the rest is its summary, where the system or the user says it. ``places`` are
    those of the messages of ``said`` that are not new."""
    # A system message of the log that leads the request now was put there as well.
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


def _all_tokens(exchange: Exchange) -> int | None:
    if INPUT_TOKENS not in exchange.usage:
        return None
    return exchange.usage[INPUT_TOKENS] + exchange.usage.get(OUTPUT_TOKENS, 0)


def _part_prompt(
    prompt: Sequence[Message],
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Return the leading system messages, and all others."""
    stop = 0
    while stop < len(prompt) and prompt[stop].role == "system":
        stop += 1
    return tuple(prompt[:stop]), tuple(prompt[stop:])
