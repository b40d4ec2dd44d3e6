"""The steps of a pipeline, read from lines such as ``summarize at 0.85 of the window, keep 10 messages``.

A line says in this order: what is done, at which trigger (without one: before every request), what it leaves alone, and
how much has to go. The words are those of the products that the rules come from, so that a rule can be read beside its
documentation.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from memviz.core.bounds import LARGEST_NUMBER
from memviz.core.errors import ParameterError
from memviz.core.forms import (
    ClearedResults,
    Cut,
    CutArguments,
    Form,
    Offloaded,
    OlderReads,
    WithoutThinking,
)
from memviz.core.translation import noop
from memviz.strategies.anchors import Anchors
from memviz.strategies.clauses import AnyOf, trigger_from

KeepUnit = Literal["messages", "percent of messages", "turns", "results", "tokens"]
Action = Literal["reduce", "drop", "summarize", "bring back"]

EXAMPLE = "summarize at 0.8 of the window, keep 10 messages"
FIRST_STEPS = (
    "clear tool results at 0.5 of the window, keep 3 results\n"
    "summarize at 0.8 of the window, keep 10 messages"
)
"""The steps of a pipeline of which nothing is said."""
AT_LEAST_ONE = noop(
    "at least 1 file and 1 token; without a limit any number may come back"
)
ALLOWED = (
    'lines such as "clear tool results at 0.5 of the window, keep 3 results", '
    '"shorten tool results to 500 characters, keep 2 turns", "drop at 40 messages, keep 20 messages" and '
    f'"{EXAMPLE}"'
)


@dataclass(frozen=True, slots=True)
class Keep:
    """The newest part of a conversation that a step leaves alone. Tokens are those of tools' results for a step that
    reduces these, else of all messages."""

    amount: int
    unit: KeepUnit
    at_most: bool = False
    """A call that would be parted from its result goes with it, where it would stay otherwise."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a pipeline."""

    action: Action
    trigger: AnyOf | None = None
    """``None``: before every request."""
    form: Form | None = None
    """The form in which a step that reduces messages sends them."""
    keeps: tuple[Keep, ...] = ()
    """Whatever one of these protects stays."""
    keeps_first_user_message: bool = False
    least_tokens: int = 0
    """Nothing is done where fewer tokens would go."""
    anchors: Anchors | None = None
    """What a step that brings something back brings back."""
    is_checked: bool = False
    """True if a step that summarizes asks once more what the summary leaves out."""

    @property
    def is_about_results(self) -> bool:
        """True if it sends tools' results, and nothing else, with less in them."""
        if isinstance(self.form, Cut):
            return self.form.roles == _RESULTS_ALONE
        return isinstance(self.form, ClearedResults)


_RESULTS_ALONE = ("tool",)


def steps_from(text: str, window_tokens: int) -> tuple[Step, ...]:
    """Return the steps that ``text`` says, one a line; lines that are empty or begin with ``#`` say none.

    Raises :class:`ParameterError`, which quotes the line that is no step and shows what is.
    """
    steps = tuple(_step_from(line, window_tokens) for line in lines_of(text))
    superseding = [step for step in steps if isinstance(step.form, OlderReads)]
    if not steps or len(superseding) > 1:
        raise ParameterError("steps", text, ALLOWED)
    return steps


def lines_of(text: str) -> list[str]:
    """Return the lines of a text that say a step each."""
    lines = (line.strip() for line in re.split(r"[\n;]", text))
    return [line for line in lines if line and not line.startswith("#")]


def _step_from(line: str, window_tokens: int) -> Step:
    try:
        return _read(line, window_tokens)
    except _ZeroError:
        raise ParameterError("steps", line, AT_LEAST_ONE) from None
    except (ValueError, ParameterError):
        raise ParameterError("steps", line, ALLOWED) from None


class _ZeroError(ValueError):
    """Raised for a limit of nothing, which is no limit."""


_LINE = re.compile(
    r"(?P<deed>.+?)(?: at (?P<trigger>[^,]*(?:,\d{3}[^,]*)*))?(?P<rest>(?:, .+)?)"
)
_RESULTS = re.compile(r'clear tool results(?: as "(?P<placeholder>[^"]*)")?')
_SHORTENED = re.compile(
    r"shorten (?P<what>tool results|messages) to (?P<chars>\d[\d,]*) characters"
)
_OFFLOADED = re.compile(
    r"offload tool results over (?P<over>\d[\d,]*) characters to (?P<chars>\d[\d,]*)"
)
_SUPERSEDED = re.compile(r'supersede older reads(?: as "(?P<placeholder>[^"]*)")?')
_ARGUMENTS = re.compile(
    r"cut arguments over (?P<over>\d[\d,]*) characters to (?P<chars>\d[\d,]*)"
)
_LEAST = re.compile(r"if (?P<tokens>.+) go")
_NUMBER = re.compile(r"(?P<amount>\d[\d,]*) (?P<unit>messages|turns|results|tokens)")
_PERCENT = re.compile(r"(?P<amount>\d{1,3})% of messages")
_SHARE = re.compile(r"(?P<share>0?\.\d+|1) of the window")
_FILES = re.compile(
    r"(?P<files>\d[\d,]*) files(?: of up to (?P<tokens>\d[\d,]*) tokens)?"
)
_CHECKED = "summarize and check"
_FIRST_USER = "keep the first user message"


def _read(line: str, window_tokens: int) -> Step:
    if line.startswith("bring back "):
        return Step("bring back", anchors=_anchors(line, window_tokens))
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError(line)
    trigger = None
    if found["trigger"]:
        units = ("tokens", "messages", "turns")
        trigger = trigger_from(found["trigger"], window_tokens, "steps", units)
    keeps = []
    keeps_first_user_message = False
    least_tokens = 0
    for clause in filter(None, found["rest"].split(", ")):
        if clause == _FIRST_USER:
            keeps_first_user_message = True
        elif least := _LEAST.fullmatch(clause):
            least_tokens = _tokens(least["tokens"], window_tokens)
        else:
            keeps.append(_keep(clause, window_tokens))
    form = _form(found["deed"])
    if isinstance(form, OlderReads) and (keeps or keeps_first_user_message):
        raise ValueError(line)  # the newest read is what it keeps
    return Step(
        action=_action(found["deed"], form),
        trigger=trigger,
        form=form,
        keeps=tuple(keeps),
        keeps_first_user_message=keeps_first_user_message,
        least_tokens=least_tokens,
        is_checked=found["deed"] == _CHECKED,
    )


def _anchors(line: str, window_tokens: int) -> Anchors:
    """The anchors of a line such as ``bring back the plan and 5 files of up to 5,000 tokens, up to 20,000 tokens``."""
    named, _, most = line.removeprefix("bring back ").partition(", up to ")
    tokens = _at_least_one(_tokens(most, window_tokens)) if most else 0
    anchors = Anchors(tokens=tokens)
    for one in named.split(" and "):
        if one == "the first user message":
            anchors = replace(anchors, first_user_message=True)
        elif one == "the plan":
            anchors = replace(anchors, plan=True)
        elif found := _FILES.fullmatch(one):
            limit = found["tokens"]
            file_tokens = _at_least_one(_whole(limit)) if limit else 0
            files = _at_least_one(_whole(found["files"]))
            anchors = replace(anchors, files=files, file_tokens=file_tokens)
        else:
            raise ValueError(line)
    return anchors


def _at_least_one(number: int) -> int:
    if not number:
        raise _ZeroError(number)
    return number


def _action(deed: str, form: Form | None) -> Action:
    if form is not None:
        return "reduce"
    if deed == "drop":
        return "drop"
    if deed in ("summarize", _CHECKED):
        return "summarize"
    raise ValueError(deed)


def _form(deed: str) -> Form | None:
    """The form in which a step of these words sends messages; ``None`` for one that takes them out."""
    if deed == "drop thinking":
        return WithoutThinking()
    if found := _RESULTS.fullmatch(deed):
        placeholder = found["placeholder"]
        return ClearedResults() if placeholder is None else ClearedResults(placeholder)
    if found := _SUPERSEDED.fullmatch(deed):
        placeholder = found["placeholder"]
        return OlderReads() if placeholder is None else OlderReads(placeholder)
    if found := _SHORTENED.fullmatch(deed):
        half = _whole(found["chars"]) // 2
        roles = (
            _RESULTS_ALONE
            if found["what"] == "tool results"
            else ("user", "assistant", "tool")
        )
        return Cut(half, half, roles=roles)
    if found := _OFFLOADED.fullmatch(deed):
        return Offloaded(_whole(found["chars"]), _whole(found["over"]))
    if found := _ARGUMENTS.fullmatch(deed):
        return CutArguments(_whole(found["chars"]), _whole(found["over"]))
    return None


def _keep(clause: str, window_tokens: int) -> Keep:
    said = clause.removeprefix("keep ")
    if said == clause:
        raise ValueError(clause)
    amount = said.removeprefix("at most ")
    at_most = amount != said
    if found := _NUMBER.fullmatch(amount):
        return Keep(_whole(found["amount"]), found["unit"], at_most)  # type: ignore[arg-type]  # the pattern has no other unit
    if found := _PERCENT.fullmatch(amount):
        return Keep(_whole(found["amount"]), "percent of messages", at_most)
    if found := _SHARE.fullmatch(amount):
        return Keep(int(float(found["share"]) * window_tokens), "tokens", at_most)
    raise ValueError(clause)


def _tokens(said: str, window_tokens: int) -> int:
    """The tokens that have to go."""
    keep = _keep(f"keep {said}", window_tokens)
    if keep.unit != "tokens":
        raise ValueError(said)
    return keep.amount


def _whole(text: str) -> int:
    number = int(text.replace(",", ""))
    if number > LARGEST_NUMBER:
        raise ValueError(text)
    return number
