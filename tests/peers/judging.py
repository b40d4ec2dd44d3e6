"""A real library against the strategy that has its rule, request by request, over the same random conversation.

Where they differ the conversation has to have something that is known to make them differ: else the test fails. What
was known is kept for the table of docs/conformance.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, pairwise
from typing import Any, NamedTuple

from hypothesis import assume, event
from hypothesis import strategies as st

import memviz
from memviz import Log, Message, ScriptedModel
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library, LibraryStrategy
from tests.strategies import conversations as plain
from tests.strategies.conversations import answered
from tests.strategies.libraries.conversations import conversations
from tests.strategies.libraries.talks import talks

ANY = st.one_of(conversations(), talks(), plain.conversations())
"""Loops of tools, parallel calls, results that are missing, late or nobody's, late system messages, several messages of
the user in a row, empty ones, names, Chinese."""

KNOWN: list[str] = []
"""Why the last conversations differed, where that is known. The table takes it out."""


def pipeline(*steps: str, window_tokens: int = 128_000) -> memviz.Strategy:
    """A pipeline of these steps."""
    return memviz.strategy(
        "pipeline", steps="\n".join(steps), window_tokens=window_tokens
    )


class Peer(LibraryStrategy):
    """Runs a library's object, which ``opens`` makes."""

    opens: Any = None

    def open(self, ask: Ask, counter: Counter) -> Library:
        made: Library = self.opens(ask, counter)
        return made


class KnownDifference(NamedTuple):
    """Something that a conversation has, which makes a library differ from the strategy on purpose or for good."""

    why: str
    is_in: Callable[[Log], bool]
    shows: Callable[[list[Request], list[Request]], bool] | None = None
    """Sees it in what both send, the library first, where the conversation alone does not say it."""


Request = list[Message | int]
"""The messages of a request, and in place of a summary its number."""


def nowhere(log: Log) -> bool:
    """Nothing of the conversation alone."""
    return False


class LibraryFailedError(AssertionError):
    """The library raised an error, at which a program that uses it ends."""


def count_said(text: str) -> int:
    """The tokens of a text, four characters each, and none for a summary, round which each has words of its own."""
    return 0 if "summary" in text else memviz.counter("chars4")(text)


def requests_of(
    messages: Sequence[Message], strategy: memviz.Strategy
) -> list[Request]:
    """What a strategy sends with each request, its summarizer answering with numbers."""
    model = ScriptedModel(f"summary {n}" for n in count(1))
    run = memviz.replay(messages, strategy, model=model, counter=count_said)
    failed = [one.error for one in run.compactions if one.error]
    if failed:
        raise LibraryFailedError(failed[0])
    return [list(_entries(record)) for record in run.requests]


def _entries(record: memviz.TurnRecord) -> Iterator[Message | int]:
    for block in record.context.blocks:
        if block.kind == "summary":
            yield int(block.messages[0].content.rpartition("summary ")[2].split()[0])
        else:
            yield from block.messages


def judge(
    messages: list[Message],
    library: LibraryStrategy | Callable[[Ask, Counter], Library],
    strategy: memviz.Strategy,
    known: Sequence[KnownDifference] = (),
    normal: Callable[[Message], Message] | None = None,
    raises: tuple[str, str] | None = None,
) -> None:
    """Raise AssertionError where the requests differ and nothing of what is ``known`` is in the conversation.
    ``library``: a strategy of memviz that runs one, or what opens an object of one that memviz does not run.
    ``normal`` takes the words out that each has for the same; ``raises``: how an error begins that the library raises
    on purpose, and when."""
    assume(any(message.role == "user" for message in messages))
    messages = answered(messages)
    runs = library if isinstance(library, LibraryStrategy) else Peer(opens=library)
    try:
        theirs = requests_of(messages, runs)
    except LibraryFailedError as failure:
        if raises is None or not str(failure).startswith(raises[0]):
            raise
        KNOWN.append(raises[1])
        return
    ours = requests_of(messages, strategy)
    if normal is not None:
        theirs, ours = (_normal(requests, normal) for requests in (theirs, ours))
    if theirs == ours:
        return
    log = Log(messages)
    found = [
        one.why
        for one in known
        if one.is_in(log) or (one.shows and one.shows(theirs, ours))
    ]
    if not found:
        assert theirs == ours
    KNOWN.append(found[0])
    event(f"known to differ: {found[0]}")


def _normal(
    requests: list[Request], normal: Callable[[Message], Message]
) -> list[Request]:
    """The requests with each message in its normal form."""
    return [
        [one if isinstance(one, int) else normal(one) for one in request]
        for request in requests
    ]


def late_system_messages(log: Log) -> bool:
    """Some system message comes after the conversation has begun."""
    return any(message.role == "system" for message in log[log.system_stop :])


def results_apart_from_their_call(log: Log) -> bool:
    """Some result does not follow its call at once, or only behind results of the same message, or has none."""
    return any(
        log.tools.call_of.get(position) != _caller(log, position)
        for position in log.tools.results
    )


def _caller(log: Log, position: int) -> int:
    """The message that a result follows, other results apart."""
    while log[position].role == "tool" and position:
        position -= 1
    return position


def calls_without_all_results(log: Log) -> bool:
    """Some call is not answered by as many results as it asked for right behind it."""
    for position, message in enumerate(log):
        if not message.tool_calls:
            continue
        behind = position + 1
        while behind < len(log) and log[behind].role == "tool":
            behind += 1
        answered_ids = [one.tool_call_id for one in log[position + 1 : behind]]
        if sorted(map(str, answered_ids)) != sorted(c.id for c in message.tool_calls):
            return True
    return False


def repeated_ids(log: Log) -> bool:
    """Two calls have the same id."""
    ids = [call.id for message in log for call in message.tool_calls]
    return len(ids) != len(set(ids))


def is_damaged(log: Log) -> bool:
    """Calls and results do not pair: one is missing, late, nobody's, or of an id that another has."""
    return (
        results_apart_from_their_call(log)
        or calls_without_all_results(log)
        or repeated_ids(log)
    )


def longest_input(log: Log) -> int:
    """The messages of the longest input."""
    return max(one.stop - log.input_start(one.stop) for one in log.requests())


def calls_tools(log: Log) -> bool:
    """Some tool is called."""
    return any(message.tool_calls or message.role == "tool" for message in log)


def results_waited_for(more_than: int) -> KnownDifference:
    """The model waits for more results at once than are kept."""
    return KnownDifference(
        "results that the model still waits for are not cleared",
        lambda log: any(
            sum(m.role == "tool" for m in log[log.input_start(one.stop) : one.stop])
            > more_than
            for one in log.requests()
        ),
    )


DAMAGED = KnownDifference(
    "where calls and results do not pair (one is missing, late, nobody's, or of an id that another has) each has rules "
    "of its own",
    is_damaged,
)


def input_longer_than(most: int) -> KnownDifference:
    """The input of some request is longer than what is kept."""
    return KnownDifference(
        "an input that is longer than what is kept is sent whole",
        lambda log: longest_input(log) > most,
    )


def input_of_more_tokens_than(most: int) -> KnownDifference:
    """The input of some request has more tokens than are kept."""

    def is_in(log: Log) -> bool:
        inputs = [log[log.input_start(r.stop) : r.stop] for r in log.requests()]
        return any(sum(count_said(m.content) for m in said) > most for said in inputs)

    return KnownDifference(
        "an input that is longer than what is kept is sent whole", is_in
    )


def late_system(why: str) -> KnownDifference:
    """The conversation has a late system message."""
    return KnownDifference(why, late_system_messages)


def summarizes_its_summary_alone(requests: list[Request], ours: list[Request]) -> bool:
    """A summary was written, and all messages that were sent before are sent still."""
    for before, now in pairwise(requests):
        said = [one.content for one in before if not isinstance(one, int)]
        said_now = [one.content for one in now if not isinstance(one, int)]
        newest = [one for one in now if isinstance(one, int)]
        if newest and newest != [one for one in before if isinstance(one, int)]:
            if all(one in said_now for one in said):
                return True
    return False


ALONE = KnownDifference(
    "where nothing else may go it summarizes its own summary, again before each request",
    nowhere,
    summarizes_its_summary_alone,
)


def has_summarized_more(theirs: list[Request], ours: list[Request]) -> bool:
    """In the first request that differs theirs has a summary, and fewer messages."""
    for request, other in zip(theirs, ours, strict=True):
        if request != other:
            return any(isinstance(one, int) for one in request)
    return False


INPUT_SUMMARIZED = KnownDifference(
    "what goes into a summary may be the input itself, which the model then reads in the summary alone",
    nowhere,
    has_summarized_more,
)


def results_before_a_user_goes_on(log: Log) -> bool:
    """The input of some request has a result, and a message of the user behind it."""
    for request in log.requests():
        said = log[log.input_start(request.stop) : request.stop]
        roles = [message.role for message in said]
        if "tool" in roles and "user" in roles[roles.index("tool") :]:
            return True
    return False


UNANSWERED = KnownDifference(
    "a result that the model has not answered when the user goes on is part of the input",
    results_before_a_user_goes_on,
)
