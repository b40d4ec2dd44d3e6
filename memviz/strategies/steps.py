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


# "summarize at 0.8 of the window, keep 10 messages"
_LINE = re.compile(
    r"(?P<deed>.+?)(?: at (?P<trigger>[^,]*(?:,\d{3}[^,]*)*))?(?P<rest>(?:, .+)?)"
)
# 'clear tool results as "[gone]"'
_RESULTS = re.compile(r'clear tool results(?: as "(?P<placeholder>[^"]*)")?')
# "shorten tool results to 500 characters"
_SHORTENED = re.compile(
    r"shorten (?P<what>tool results|messages) to (?P<chars>\d[\d,]*) characters"
)
# "offload tool results over 10,000 characters to 4,000"
_OFFLOADED = re.compile(
    r"offload tool results over (?P<over>\d[\d,]*) characters to (?P<chars>\d[\d,]*)"
)
# "supersede older reads"
_SUPERSEDED = re.compile(r'supersede older reads(?: as "(?P<placeholder>[^"]*)")?')
# "cut arguments over 2,000 characters to 20"
_ARGUMENTS = re.compile(
    r"cut arguments over (?P<over>\d[\d,]*) characters to (?P<chars>\d[\d,]*)"
)
# "if 20,000 tokens go"
_LEAST = re.compile(r"if (?P<tokens>.+) go")
# "10 messages"
_NUMBER = re.compile(r"(?P<amount>\d[\d,]*) (?P<unit>messages|turns|results|tokens)")
# "30% of messages"
_PERCENT = re.compile(r"(?P<amount>\d{1,3})% of messages")
# "0.3 of the window"
_SHARE = re.compile(r"(?P<share>0?\.\d+|1) of the window")
# "5 files of up to 5,000 tokens"
_FILES = re.compile(
    r"(?P<files>\d[\d,]*) files(?: of up to (?P<tokens>\d[\d,]*) tokens)?"
)
_CHECKED = "summarize and check"
_FIRST_USER = "keep the first user message"


def _read(line: str, window_tokens: int) -> Step:
    if line.startswith("bring back "):
        return Step("bring back", anchors=_anchors(line, window_tokens))
    parts = _LINE.fullmatch(line)
    if parts is None:
        raise ValueError(line)
    deed = parts["deed"]
    trigger = None
    if parts["trigger"]:
        units = ("tokens", "messages", "turns")
        trigger = trigger_from(parts["trigger"], window_tokens, "steps", units)
    keeps = []
    keeps_first_user_message = False
    least_tokens = 0
    for clause in filter(None, parts["rest"].split(", ")):
        least = _LEAST.fullmatch(clause)
        if clause == _FIRST_USER:
            keeps_first_user_message = True
        elif least is not None:
            least_tokens = _tokens(least["tokens"], window_tokens)
        else:
            keeps.append(_keep(clause, window_tokens))
    form = _form(deed)
    # The newest read is what a step that supersedes keeps.
    if isinstance(form, OlderReads) and (keeps or keeps_first_user_message):
        raise ValueError(line)
    return Step(
        action=_action(deed, form),
        trigger=trigger,
        form=form,
        keeps=tuple(keeps),
        keeps_first_user_message=keeps_first_user_message,
        least_tokens=least_tokens,
        is_checked=deed == _CHECKED,
    )


def _anchors(line: str, window_tokens: int) -> Anchors:
    """The anchors of a line such as ``bring back the plan and 5 files of up to 5,000 tokens, up to 20,000 tokens``."""
    named, _, most = line.removeprefix("bring back ").partition(", up to ")
    tokens = _at_least_one(_tokens(most, window_tokens)) if most else 0
    anchors = Anchors(tokens=tokens)
    for item in named.split(" and "):
        if item == "the first user message":
            anchors = replace(anchors, first_user_message=True)
            continue
        if item == "the plan":
            anchors = replace(anchors, plan=True)
            continue
        matched = _FILES.fullmatch(item)
        if matched is None:
            raise ValueError(line)
        limit = matched["tokens"]
        file_tokens = _at_least_one(_whole(limit)) if limit else 0
        files = _at_least_one(_whole(matched["files"]))
        anchors = replace(anchors, files=files, file_tokens=file_tokens)
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
    if matched := _RESULTS.fullmatch(deed):
        placeholder = matched["placeholder"]
        return ClearedResults() if placeholder is None else ClearedResults(placeholder)
    if matched := _SUPERSEDED.fullmatch(deed):
        placeholder = matched["placeholder"]
        return OlderReads() if placeholder is None else OlderReads(placeholder)
    if matched := _SHORTENED.fullmatch(deed):
        half = _whole(matched["chars"]) // 2
        if matched["what"] == "tool results":
            return Cut(half, half, roles=_RESULTS_ALONE)
        return Cut(half, half, roles=("user", "assistant", "tool"))
    if matched := _OFFLOADED.fullmatch(deed):
        return Offloaded(_whole(matched["chars"]), _whole(matched["over"]))
    if matched := _ARGUMENTS.fullmatch(deed):
        return CutArguments(_whole(matched["chars"]), _whole(matched["over"]))
    return None


def _keep(clause: str, window_tokens: int) -> Keep:
    """The part that a clause such as ``keep at most 30% of messages`` leaves alone."""
    behind_keep = clause.removeprefix("keep ")
    if behind_keep == clause:
        raise ValueError(clause)
    amount = behind_keep.removeprefix("at most ")
    at_most = amount != behind_keep
    if matched := _NUMBER.fullmatch(amount):
        return Keep(_whole(matched["amount"]), matched["unit"], at_most)  # type: ignore[arg-type]  # the pattern has no other unit
    if matched := _PERCENT.fullmatch(amount):
        return Keep(_whole(matched["amount"]), "percent of messages", at_most)
    if matched := _SHARE.fullmatch(amount):
        return Keep(int(float(matched["share"]) * window_tokens), "tokens", at_most)
    raise ValueError(clause)


def _tokens(amount: str, window_tokens: int) -> int:
    """The tokens of an amount such as ``20,000 tokens`` or ``0.2 of the window``."""
    keep = _keep(f"keep {amount}", window_tokens)
    if keep.unit != "tokens":
        raise ValueError(amount)
    return keep.amount


def _whole(text: str) -> int:
    number = int(text.replace(",", ""))
    if number > LARGEST_NUMBER:
        raise ValueError(text)
    return number
