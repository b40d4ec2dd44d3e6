"""The reviewed list of what the bundled recordings say that their prompts do not, and what is not on it yet."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from memviz.metrics.summaries.inventions import (
    Known,
    find_terms,
    find_unsupported_terms,
    is_name,
    join_prompt,
)
from memviz.models.recordings import recordings
from memviz.models.recordings.recording import RecordedReply, Recording

LIST = Path(__file__).with_name("not_in_prompts.yaml")
_SUM = re.compile(r"[\d.]+(?: [-+×/] [\d.]+)+")
_OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "×": operator.mul,
    "/": operator.truediv,
}
_QUOTED = re.compile("“([^”]+)”")


@dataclass(frozen=True)
class Reviewed:
    """The list: ``leaks`` and ``terms`` (each with its reason) by the mark of their reply, and what is ordinary."""

    leaks: Mapping[str, tuple[str, ...]]
    terms: Mapping[str, Mapping[str, str]]
    ordinary: frozenset[str]
    same_as: Mapping[str, str]
    chinese_names: frozenset[str]

    def is_said_otherwise(self, term: str, prompt: str) -> bool:
        """Return whether ``prompt`` has the words that ``term`` stands for."""
        words = self.same_as.get(term)
        return words is not None and words.lower() in prompt.lower()


@cache
def reviewed_recordings() -> dict[str, Recording]:
    """Return the bundled recordings that play unasked. What others say beside their prompts is counted, not mended."""
    return {
        name: recording
        for name, recording in recordings().items()
        if not recording.about.only_by_name
    }


@cache
def reviewed() -> Reviewed:
    """Return the list as it stands in its file."""
    found = yaml.safe_load(LIST.read_text("utf-8"))
    return Reviewed(
        {mark: tuple(terms) for mark, terms in found["leaks"].items()},
        found["reviewed"],
        frozenset(found["ordinary"]),
        found["same_as"],
        frozenset(found["chinese_names"]),
    )


@cache
def known() -> Known:
    """Return what all prompts of the bundled recordings show of names."""
    messages = {
        message.content
        for recording in reviewed_recordings().values()
        for one in recording.replies.values()
        for message in one.request.messages
    }
    lines = frozenset(line for text in messages for line in text.split("\n"))
    return Known(lines, reviewed().ordinary, reviewed().chinese_names)


def unsupported(one: RecordedReply) -> tuple[str, ...]:
    """Return what a reply says that its prompt does not, neither as it is nor in the words that ``same_as`` gives."""
    prompt = join_prompt(one.request.messages)
    terms = find_unsupported_terms(prompt, one.reply.text, known())
    return tuple(
        term for term in terms if not reviewed().is_said_otherwise(term, prompt)
    )


def reason_fault(term: str, reason: str, one: RecordedReply) -> str:
    """Return what is wrong with ``reason`` for ``term`` in a reply, empty where it holds."""
    prompt = join_prompt(one.request.messages)
    quotes = _QUOTED.findall(reason)
    if quotes:
        return "; ".join(
            f"the prompt does not say “{quote}”"
            for quote in quotes
            if quote not in prompt
        )
    if is_name(term) or not _SUM.fullmatch(reason):
        return "it is neither a sum nor words of the prompt in “ ”"
    missing = (
        set(reason.split()[::2]) - find_terms(prompt + "\n" + one.reply.text).numbers
    )
    if missing:
        return f"neither the prompt nor the reply has {', '.join(sorted(missing))}"
    decimals = len(term.partition(".")[2])
    return (
        ""
        if round(_value(reason), decimals) == float(term)
        else f"it makes {_value(reason):g}"
    )


def _value(expression: str) -> float:
    first, *rest = expression.split()
    value = float(first)
    for sign, number in zip(rest[::2], map(float, rest[1::2]), strict=True):
        value = _OPERATIONS[sign](value, number)
    return value


def not_reviewed() -> Iterator[tuple[str, RecordedReply, str]]:
    """Each recording's name, reply and term that is not on the list."""
    for name, recording in reviewed_recordings().items():
        for one in recording.replies.values():
            allowed = {
                *reviewed().leaks.get(one.mark, ()),
                *reviewed().terms.get(one.mark, {}),
            }
            yield from (
                (name, one, term) for term in unsupported(one) if term not in allowed
            )


def _print_not_reviewed() -> None:
    for name, one, term in not_reviewed():
        text = one.reply.text.replace(",", "") if term[0].isdigit() else one.reply.text
        at = text.find(term)
        print(
            f"  {one.mark}: {{{term!r}: }}  # {name}: …{' '.join(text[max(0, at - 40) : at + 40].split())}…"
        )


if __name__ == "__main__":
    _print_not_reviewed()
