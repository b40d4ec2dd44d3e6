"""Retention once more, slow and obvious: the texts of every request are read and searched anew.

Shares nothing with the metrics but how a single value is spelled, so that the two can be held against each other.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass

from memviz import Message, Run
from memviz.core.pieces import Line
from memviz.core.text.answer_forms import list_answer_forms
from memviz.core.text.containment import normalize_token
from memviz.core.text.letters import MARK, simplify_chinese
from memviz.core.text.token_contexts import read_tokens_in_context
from memviz.core.text.values import unify_values
from memviz.engine.records import TurnRecord
from memviz.metrics.retention.negatives import is_asked_negatively
from memviz.metrics.retention.polarity import judge_polarity
from memviz.transcripts.base import Probe

UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI")
STATES = (
    "NOT_BORN",
    "LOST",
    "SYSTEM",
    "SUMMARY",
    "RECALLED",
    "VERBATIM",
    "CONTRADICTED",
    "UNKNOWN",
)


def tokens(text: str) -> list[str]:
    """Walks over the characters one by one. How a value is spelled is tested on its own, and taken from there."""
    text = re.sub(
        "(?<=[0-9])[\u00a0\u202f](?=[0-9]{3}(?![0-9]))",
        ",",
        unify_values(simplify_chinese(text)),
    )
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(
        "((?<![0-9])[0-9]{1,3}(?:,[0-9]{3})+[.][0-9]*?)0+(?![0-9])", r"\1", text
    )  # an amount
    found, word = [], ""
    for at, char in enumerate(text):
        if unicodedata.name(char, "").startswith(UNSPACED):
            found, word = [*found, word, char], ""
        elif char.isalnum():
            word += char
        elif (
            char in ",."
            and word.isdigit()
            and re.match(r"[0-9]{3}(?![0-9])", text[at + 1 :])
            and len(word) <= 3
        ):
            continue  # thousands
        elif char == "." and word.isdigit() and text[at + 1 : at + 2].isdigit():
            word += "."
        else:
            found, word = [*found, word], ""
    words = read_tokens_in_context([word for word in [*found, word] if word])
    return [form for word in words for form in normal(word)]


def normal(word: str) -> tuple[str, ...]:
    if re.fullmatch(r"[0-9.]+", word):
        word = word[1:] if re.fullmatch(r"0[0-9]", word) else re.sub(r"\.0+$", "", word)
        return (word,)
    return normalize_token(word)


def spans(text: str, answers: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where answers stand in the tokens of a text."""
    there, found = tokens(text), []
    for answer in answers:
        wanted = tuple(tokens(answer))
        places = {
            (at, at + len(form.tokens))
            for form in list_answer_forms(answer, wanted)
            if form.tokens
            for at in range(len(there))
            if tuple(there[at : at + len(form.tokens)]) == form.tokens
            and not (
                form.is_bare
                and there[at + len(form.tokens) : at + len(form.tokens) + 1][:1]
                > [MARK]
            )
        }
        found += sorted(places)
    return found


def affirms(text: str, probe: Probe) -> tuple[bool, bool]:
    """The same of what the text affirms; to deny a fact that is asked for as a negative is to affirm it."""
    right, stale = holds(judge_polarity(text).affirmed, probe)
    is_negative = any(map(is_asked_negatively, (probe.question, *probe.answers)))
    return right or (is_negative and holds(text, probe)[0]), stale


def holds(text: str, probe: Probe) -> tuple[bool, bool]:
    """Whether a text contains an accepted answer, and a stale one."""
    stale_answers = tuple(
        one
        for one in probe.stale
        if tokens(one) not in [tokens(other) for other in probe.answers]
    )
    right, stale = spans(text, probe.answers), spans(text, stale_answers)
    is_right = any(
        not any(c <= a and b <= d and (c, d) != (a, b) for c, d in stale)
        for a, b in right
    )
    is_stale = any(not any(c <= a and b <= d for c, d in right) for a, b in stale)
    return is_right, is_stale


def said(message: Message) -> str:
    values: list[str] = []
    for call in message.tool_calls:
        arguments = json.loads(call.arguments)
        values += [str(value) for value in arguments.values()]
    return "\n".join([message.content, *values])


HEADINGS = {
    "threshold_summary": "Here is a summary of the conversation to date:",
    "observations": "Observations of the conversation so far:",
}


def is_heading(line: str, record: TurnRecord) -> bool:
    """Whether a line is the strategy's own above what the summarizer wrote. A library's message is kept as a whole."""
    id = "" if record.strategy is None else record.strategy.id
    return line.startswith("===") or line == HEADINGS.get(id)


def texts(record: TurnRecord) -> dict[str, list[str]]:
    """What the request holds, by source."""
    found: dict[str, list[str]] = {name: [] for name in STATES}
    source = {"system": "SYSTEM", "summary": "SUMMARY", "recalled": "RECALLED"}
    for block in record.context.blocks:
        said_here = [said(message) for message in block.messages]
        if block.kind == "summary":
            lines = [
                line
                for line in (block.text or said_here[0]).split("\n")
                if not is_heading(line, record)
            ]
            said_here = [
                re.sub(r"^(\[Turn \d+\] |Summary of earlier conversation: )", "", line)
                for line in lines
            ]
        elif block.kind == "system":  # without the notes that stand in it
            inside = [
                one.message
                for one in record.parts.pieces
                if isinstance(one, Line) and one.place != "message"
            ]
            said_here = [
                said(message)
                for message in (*record.memory.space.system_messages, *inside)
            ]
        found[source.get(block.kind, "VERBATIM")] += said_here
    return found


@dataclass
class Cell:
    state: str
    evidence: bool
    contained: bool
    stale: bool


def cell(
    run: Run, record: TurnRecord, probe: Probe, in_record: TurnRecord | None = None
) -> Cell:
    """What ``in_record`` (else ``record`` itself) knows of ``probe`` at the time of ``record``."""
    if not all(0 <= position < record.memory.length for position in probe.evidence):
        return Cell("NOT_BORN", False, False, False)
    held = texts(in_record or record)
    sources = [
        name for name in STATES if any(affirms(text, probe)[0] for text in held[name])
    ]
    is_mentioned = any(
        holds(text, probe)[0] for found in held.values() for text in found
    )
    stale = any(affirms(text, probe)[1] for found in held.values() for text in found)
    blocks = record.context.blocks
    verbatim: set[int] = set()
    for block in blocks:
        if block.kind == "system":
            verbatim |= set(block.indices)
        if block.kind in ("history", "input", "tools"):
            for position in block.indices:
                message = record.memory.log[position]
                alike = [p for p in block.indices if record.memory.log[p] == message]
                # Of messages that are alike the oldest are cleared first.
                cleared = max(0, len(alike) - block.messages.count(message))
                if position in alike[cleared:]:
                    verbatim.add(position)
    anywhere = verbatim | {
        p for block in blocks if block.kind == "recalled" for p in block.indices
    }
    evidence = (
        bool(probe.evidence) and set(probe.evidence) <= anywhere and in_record is None
    )
    best = STATES.index(sources[-1]) if sources else 1
    if evidence:
        best = max(best, 5 if set(probe.evidence) <= verbatim else 4)
    if best == 1 and (is_mentioned or stale) and in_record is None:
        return Cell("CONTRADICTED", evidence, False, stale)
    return Cell(STATES[best], evidence, bool(sources), stale)
