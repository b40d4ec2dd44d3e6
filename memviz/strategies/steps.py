"""The steps of a pipeline, read from lines such as ``summarize at 0.85 of the window, keep 10 messages``.

A line says in this order: what is done, at which trigger (without one: before every request), what it leaves alone, and
how much has to go. The words are those of the products that the rules come from, so that a rule can be read beside its
documentation.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

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
    except (KeyError, ValueError, ParameterError):
        raise ParameterError("steps", line, ALLOWED) from None


class _ZeroError(ValueError):
    """Raised for a limit of nothing, which is no limit."""


# "summarize at 0.8 of the window, keep 10 messages"
_LINE = re.compile(
    r"(?P<deed>.+?)(?: at (?P<trigger>[^,]*(?:,\d{3}[^,]*)*))?(?P<rest>(?:, .+)?)"
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
_ACTIONS: dict[str, Action] = {
    "drop": "drop",
    "summarize": "summarize",
    _CHECKED: "summarize",
}
"""What is done by the deeds that leave no message in another form."""
_ANCHORS = {"the first user message": "first_user_message", "the plan": "plan"}
"""The fields of :class:`Anchors` by their words in a line."""
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
        action=_ACTIONS[deed] if form is None else "reduce",
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
    fields: dict[str, Any] = {}
    if most:
        fields["tokens"] = _at_least_one(_tokens(most, window_tokens))
    for item in named.split(" and "):
        if item in _ANCHORS:
            fields[_ANCHORS[item]] = True
            continue
        matched = _FILES.fullmatch(item)
        if matched is None:
            raise ValueError(line)
        fields["files"] = _at_least_one(_whole(matched["files"]))
        limit = matched["tokens"]
        fields["file_tokens"] = _at_least_one(_whole(limit)) if limit else 0
    return Anchors(**fields)


def _at_least_one(number: int) -> int:
    if not number:
        raise _ZeroError(number)
    return number


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Form]], ...] = (
    (
        # "drop thinking"
        re.compile("drop thinking"),
        lambda deed: WithoutThinking(),
    ),
    (
        # 'clear tool results as "[gone]"'
        re.compile(r'clear tool results(?: as "([^"]*)")?'),
        lambda deed: ClearedResults() if deed[1] is None else ClearedResults(deed[1]),
    ),
    (
        # 'supersede older reads as "[old]"'
        re.compile(r'supersede older reads(?: as "([^"]*)")?'),
        lambda deed: OlderReads() if deed[1] is None else OlderReads(deed[1]),
    ),
    (
        # "shorten tool results to 500 characters"
        re.compile(r"shorten tool results to (\d[\d,]*) characters"),
        lambda deed: _cut_to(deed[1], _RESULTS_ALONE),
    ),
    (
        # "shorten messages to 500 characters"
        re.compile(r"shorten messages to (\d[\d,]*) characters"),
        lambda deed: _cut_to(deed[1], ("user", "assistant", "tool")),
    ),
    (
        # "offload tool results over 10,000 characters to 4,000"
        re.compile(r"offload tool results over (\d[\d,]*) characters to (\d[\d,]*)"),
        lambda deed: Offloaded(_whole(deed[2]), _whole(deed[1])),
    ),
    (
        # "cut arguments over 2,000 characters to 20"
        re.compile(r"cut arguments over (\d[\d,]*) characters to (\d[\d,]*)"),
        lambda deed: CutArguments(_whole(deed[2]), _whole(deed[1])),
    ),
)
"""The words of each step that sends messages with less in them, and the form that they say."""


def _form(deed: str) -> Form | None:
    """The form in which a step of these words sends messages; ``None`` for one that takes them out."""
    for pattern, form_of in _FORMS:
        matched = pattern.fullmatch(deed)
        if matched is not None:
            return form_of(matched)
    return None


def _cut_to(chars: str, roles: tuple[str, ...]) -> Cut:
    half = _whole(chars) // 2
    return Cut(half, half, roles=roles)


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
