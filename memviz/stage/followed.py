"""What requests say of facts that are followed: summaries in full, and of messages the sentence that holds a fact.

A text is a list of parts of which every second one holds a fact. Nothing in it is ever markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from memviz.engine.run import Run
from memviz.metrics.requests.message_words import readable
from memviz.metrics.retention.probe_texts import answers_of
from memviz.transcripts.base import Probe

Json = dict[str, Any]
Parts = list[str]
MAX_SUMMARY_CHARS, ALL_SUMMARY_CHARS, MESSAGE_CHARS = 12_000, 120_000, 240
"""Of one summary, of all together, and of a message."""
_SENTENCES = re.compile(
    r"[^\n.;!?。！？；]*(?:[.;!?](?!\s)[^\n.;!?。！？；]*)*(?:[.;!?。！？；]+[\"'”’»)\]]*|\n|$)\s*"
)
_LEAD = 3  # of so many parts of a text that is cut, one stands before the fact


def follow(data: Json, runs: Sequence[Run], facts: Sequence[Probe]) -> Json:
    """``data`` of the stage (:func:`memviz.stage.data.stage_data`) of ``runs`` with what they say of ``facts``: each
    setting has ``summaries``, the parts of each that its requests hold by its version, and a message that holds a fact
    has parts in place of its beginning."""
    facts = tuple(facts)
    versions = [_versions(setting) for setting in data["settings"]]
    chars = min(MAX_SUMMARY_CHARS, ALL_SUMMARY_CHARS // max(1, sum(map(len, versions))))
    settings = [
        {
            **setting,
            "summaries": {
                one: told(_texts(run)[one - 1], facts, chars) for one in held
            },
            "messages": setting["messages"]
            and _messages(setting["messages"], run, facts, data["base"]),
        }
        for setting, run, held in zip(data["settings"], runs, versions, strict=True)
    ]
    longest = max(runs, key=lambda run: len(run.log))
    return {
        **data,
        "settings": settings,
        "messages": _messages(data["messages"], longest, facts, data["base"]),
    }


def told(text: str, facts: tuple[Probe, ...], chars: int) -> Parts:
    """``text`` in parts: plain, one that holds a fact, plain, and so on; of a long one so many characters around the
    first that does."""
    said = list(_marked(text, facts))
    first = next((at for at, (_, holds) in enumerate(said) if holds), 0)
    before = "".join(part for part, _ in said[:first])
    cut = max(0, min(len(before) - chars // _LEAD, len(text) - chars))
    parts, at = [""], 0
    for part, holds in said:
        shown = part[max(0, cut - at) : max(0, cut + chars - at)]
        at += len(part)
        if shown and holds == bool(len(parts) % 2):
            parts.append(shown)
        elif shown:
            parts[-1] += shown
    parts[0] = f"…{parts[0]}" if cut else parts[0]
    return [*parts[:-1], f"{parts[-1]}…"] if cut + chars < len(text) else parts


def _marked(text: str, facts: tuple[Probe, ...]) -> Iterator[tuple[str, bool]]:
    """The text sentence by sentence, those together that hold a fact, and those that hold none."""
    sentences = [found for found in _SENTENCES.findall(text) if found]
    if not (facts and sentences):
        yield text, False
        return
    for held, group in groupby(
        zip(sentences, _hold(sentences, facts), strict=True), key=lambda one: one[1]
    ):
        yield "".join(sentence for sentence, _ in group), held


def _hold(texts: Sequence[str], facts: tuple[Probe, ...]) -> list[bool]:
    """Which texts hold one of the facts."""
    return [bool(held.any()) for held in answers_of(facts).holding(texts).answers]


def _texts(run: Run) -> list[str]:
    """All summaries, those too that are foreseen for the pending request."""
    space = run.space if run.pending is None else run.pending.memory.space
    return [version.text for version in space.summaries.versions]


def _versions(setting: Mapping[str, Any]) -> list[int]:
    """The versions of summaries (from 1) that requests of a setting hold."""
    pieces = [
        piece
        for request in setting["requests"]
        if request
        for piece in request["pieces"]
    ]
    return sorted(
        {
            version + 1
            for kind, start, stop, *_ in pieces
            if kind == "n"
            for version in range(start, stop)
        }
    )


def _messages(
    messages: Sequence[list[Any]], run: Run, facts: tuple[Probe, ...], base: int
) -> list[list[Any]]:
    if not (facts and messages):
        return list(messages)
    texts = [
        " ".join(readable(run.log[base + at]).split()) for at in range(len(messages))
    ]
    return [
        [role, tokens, told(said, facts, MESSAGE_CHARS) if held else text, turn]
        for (role, tokens, text, turn), said, held in zip(
            messages, texts, _hold(texts, facts), strict=True
        )
    ]
