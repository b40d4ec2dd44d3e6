"""A check that asks a model the least: whether it can be reached, is known there, streams, takes
tools and says what it used, and what the price list knows of it."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, NamedTuple

import httpx

from memviz.core.errors import MemvizError
from memviz.core.messages import Message
from memviz.core.model_errors import (
    BadRequestError,
    MalformedReplyError,
    UnknownModelError,
)
from memviz.core.text.wording import counted, dollars, listed
from memviz.core.translation import _, noop
from memviz.models.access import ModelAccess
from memviz.models.base import Model, Reply
from memviz.models.credentials import NO_KEY, OPERATOR, make_call_limits, settings_of
from memviz.models.http_guard import load_litellm
from memviz.models.planned_calls import CostBound, PlannedCalls, price_at_most
from memviz.models.prices import PRICE_FILE, json_file, known_price
from memviz.models.provider_keys import provider_of
from memviz.models.redaction import conceal
from memviz.models.tools import Tool

QUESTION = (Message("user", "Count from 1 to 5, in digits."),)
ORDER = (Message("user", "Call the tool ping."),)
PING = Tool("ping", "Does nothing.", {"type": "object", "properties": {}})
REQUEST_TOKENS = 80
DEAR_REQUEST_TOKENS = 30
"""More than either of the two requests has, and than the first."""
ANSWER_TOKENS = 100
DEAR_ANSWER_TOKENS = 16
DEAR_USD = 0.002
"""A model of which one of the calls may cost more is asked once, for less."""
MOST_LISTED = 5
MAX_LIST_BYTES = 1_000_000
MAX_NAME_CHARS = 60
LIST_SECONDS = 5.0
MILLION = 1e6

Verdict = Literal["yes", "no", "unsure"]


class Finding(NamedTuple):
    """One thing that was found out."""

    verdict: Verdict
    words: str
    """A sentence that says it."""


_SENTENCES: dict[str, tuple[Verdict, str]] = {
    "answers": ("yes", noop("It answers: {seconds:.1f} s for a first small question.")),
    "server_lists_others": ("unsure", noop("Its server lists {names}.")),
    "answers_to_its_name": ("yes", noop("It answers under the name {own}.")),
    "server_lists_it": ("yes", noop("Its server lists {own}.")),
    "server_does_not_list_it": (
        "unsure",
        noop("Its server answers to the name {own}, but lists {names}."),
    ),
    "tells_no_usage": (
        "unsure",
        noop(
            "It does not say how many tokens it used, so each call counts as the most it may have cost."
        ),
    ),
    "claims_too_much": (
        "unsure",
        noop(
            "It says that {tokens} of the request came from or went to its cache, more than it had: such a "
            "claim is not believed, and all of the request counts as read anew."
        ),
    ),
    "thinks_too_long": (
        "unsure",
        noop(
            "It thinks longer than this test lets it, so whether its answers stream was not seen."
        ),
    ),
    "streams": ("yes", noop("Its answers stream: this one came in {pieces}.")),
    "came_in_one_piece": (
        "unsure",
        noop("Its answer came in one piece, so it may not stream."),
    ),
    "tools_not_seen": (
        "unsure",
        noop("Whether it takes tools was not seen: {error}"),
    ),
    "called_a_tool": (
        "yes",
        noop("It takes tools: it called the one that it was offered."),
    ),
    "called_no_tool": (
        "unsure",
        noop(
            "It was offered a tool and told to call it, and answered without: it may not take tools."
        ),
    ),
    "tools_not_listed": (
        "unsure",
        noop(
            "Whether it takes tools was not tried, since a call is dear, and is not on the list."
        ),
    ),
    "list_has_tools": (
        "yes",
        noop(
            "It takes tools, by litellm's list. That was not tried, since a call is dear."
        ),
    ),
    "list_has_no_tools": (
        "no",
        noop(
            "It takes no tools, by litellm's list. That was not tried, since a call is dear."
        ),
    ),
    "price_unknown": (
        "unsure",
        noop(
            "Its price is not known: its calls are counted, but no budget in dollars holds them."
        ),
    ),
    "costs_nothing": ("yes", noop("It costs nothing, by litellm's list.")),
    "costs": (
        "yes",
        noop("A million tokens cost {read} in and {written} out, by litellm's list."),
    ),
}


def _find(name: str, /, **values: object) -> Finding:
    """Return the finding of this name, its sentence filled with ``values``."""
    verdict, sentence = _SENTENCES[name]
    return Finding(verdict, _(sentence, **values))


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """The findings of a check, in the order in which they were made."""

    findings: tuple[Finding, ...]

    @property
    def works(self) -> bool:
        """True if the model answered."""
        return all(finding.verdict != "no" for finding in self.findings[:1])


def check_bound(name: str) -> CostBound:
    """The most that :func:`check_connection` costs."""
    sizes = [DEAR_REQUEST_TOKENS] if is_dear(name) else [REQUEST_TOKENS] * 2
    return price_at_most([PlannedCalls.at_most(name, sizes, answer_tokens(name))])


def is_dear(name: str) -> bool:
    """Return whether a call with the usual answer may cost so much that a shorter one
    is asked for, and no second one."""
    call = PlannedCalls.at_most(name, [REQUEST_TOKENS], ANSWER_TOKENS)
    return price_at_most([call]).usd > DEAR_USD


def answer_tokens(name: str) -> int:
    """The tokens that each answer asked for may have."""
    return DEAR_ANSWER_TOKENS if is_dear(name) else ANSWER_TOKENS


def check_connection(
    model: Model, served: Callable[[], Sequence[str] | None] = lambda: None
) -> ConnectionReport:
    """Ask ``model``, which is to be told to write no more than :func:`answer_tokens`, one or two small things.
    ``served`` gives the names of the models that its server lists, ``None`` where it lists none. A failure is a
    finding."""
    return ConnectionReport(tuple(_make_findings(model, served)))


def _make_findings(
    model: Model, served: Callable[[], Sequence[str] | None]
) -> Iterator[Finding]:
    name = model.name
    started = perf_counter()
    pieces = 0
    reply = None
    try:
        for item in model.stream(QUESTION):
            if isinstance(item, Reply):
                reply = item
            elif item:
                pieces += 1
    except MemvizError as error:
        # A model that thinks longer than it may answer is there: it only has no answer yet.
        if not (isinstance(error, MalformedReplyError) and error.at_output_limit):
            yield Finding("no", str(error))
            names = served() if isinstance(error, UnknownModelError) else None
            if names:
                yield _find("server_lists_others", names=_name_some(names))
            return
    yield _find("answers", seconds=perf_counter() - started)
    yield _compare_with_list(name, served())
    yield _judge_streaming(pieces, reply)
    # A second call shows whether it takes tools; where a call costs much, the price list has to do.
    yield _look_up_tools(name) if is_dear(name) else _try_tools(model)
    if reply is not None:
        yield from _doubt_usage(reply)
    yield _judge_price(name)


def _doubt_usage(reply: Reply) -> Iterator[Finding]:
    if reply.usage is None:
        yield _find("tells_no_usage")
    claimed = reply.disbelieved_cached_tokens
    if claimed:
        yield _find("claims_too_much", tokens=counted(claimed, "token"))


def _compare_with_list(name: str, names: Sequence[str] | None) -> Finding:
    own_name = name.partition("/")[2] or name
    if not names:
        return _find("answers_to_its_name", own=own_name)
    if own_name in names or name in names:
        return _find("server_lists_it", own=own_name)
    return _find("server_does_not_list_it", own=own_name, names=_name_some(names))


def _name_some(names: Sequence[str]) -> str:
    shown_names = [name[:MAX_NAME_CHARS] for name in names[:MOST_LISTED]]
    if len(names) <= MOST_LISTED:
        return listed(shown_names)
    more = _(" and {value:,} more", value=len(names) - MOST_LISTED)
    return ", ".join(shown_names) + more


def _judge_streaming(pieces: int, reply: Reply | None) -> Finding:
    if reply is None:
        return _find("thinks_too_long")
    if pieces > 1:
        return _find("streams", pieces=counted(pieces, "piece"))
    return _find("came_in_one_piece")


def _try_tools(model: Model) -> Finding:
    """Return what a call that offers a tool shows."""
    try:
        items = list(model.stream(ORDER, [PING]))
    except BadRequestError as error:
        return Finding("no", str(error))
    except MemvizError as error:
        return _find("tools_not_seen", error=error)
    # The whole reply comes last, behind the pieces of its text.
    if items and isinstance(items[-1], Reply) and items[-1].tool_calls:
        return _find("called_a_tool")
    return _find("called_no_tool")


def _look_up_tools(name: str) -> Finding:
    """Return what the price list says of tools: a call to find out would cost much."""
    takes = _read_entry(name).get("supports_function_calling")
    if takes is None:
        return _find("tools_not_listed")
    return _find("list_has_tools" if takes else "list_has_no_tools")


def _read_entry(name: str) -> dict[str, Any]:
    entries = json_file(PRICE_FILE)
    entry = entries.get(name) or entries.get(name.partition("/")[2])
    return entry if isinstance(entry, dict) else {}


def _judge_price(name: str) -> Finding:
    list_price = known_price(name)
    if list_price is None:
        return _find("price_unknown")
    read_usd = (list_price.input_usd_per_token or 0.0) * MILLION
    written_usd = (list_price.output_usd_per_token or 0.0) * MILLION
    if not (read_usd or written_usd):
        return _find("costs_nothing")
    return _find("costs", read=dollars(read_usd), written=dollars(written_usd))


def list_served_models(
    name: str,
    *,
    api_key: str | None = None,
    api_base: str | None = None,
    access: ModelAccess = OPERATOR,
) -> tuple[str, ...] | None:
    """The names that the server at ``api_base`` lists by ``GET /models``; ``None`` where there is no such address, or
    no such list. It is asked under the limits of every call: with the key that was given for it and no other."""
    if not api_base or provider_of(name) not in (
        "openai",
        *load_litellm().openai_compatible_providers,
    ):
        return None
    settings = settings_of(name, api_key, api_base, access)
    key = settings["api_key"]
    headers = {} if key == NO_KEY else {"Authorization": f"Bearer {key}"}
    url = f"{api_base.rstrip('/')}/models"
    with suppress(Exception):  # whatever is wrong with the list, the model has answered
        within = make_call_limits(settings, access).context()
        body = within.run(_get_bounded, url, headers)
        rows = json.loads(body)["data"]
        names = []
        for row in rows:
            if isinstance(row, dict) and isinstance(row.get("id"), str):
                # What a server says may repeat the key, and lines.
                words = conceal(row["id"], settings).split()
                names.append(" ".join(words))
        return tuple(names)
    return None


def _get_bounded(url: str, headers: dict[str, str]) -> bytes:
    session: httpx.Client = load_litellm().client_session
    with session.stream("GET", url, headers=headers, timeout=LIST_SECONDS) as response:
        response.raise_for_status()
        # A server may send without an end: whatever the list is by then, it is not waited for any longer.
        body = b""
        began_at = perf_counter()
        for piece in response.iter_bytes():
            body += piece
            if len(body) > MAX_LIST_BYTES or perf_counter() - began_at > LIST_SECONDS:
                break
        return body
