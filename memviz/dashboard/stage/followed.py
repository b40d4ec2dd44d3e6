"""The texts of requests in which facts are followed: summaries in full, and of messages the sentence that holds a fact.

A text is a list of parts of which every second one holds a fact. Nothing in it is ever markup.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from memviz.engine.run import Run
from memviz.metrics.requests.message_text import readable
from memviz.metrics.retention.probe_texts import answers_of
from memviz.metrics.summaries.facts import without_tags
from memviz.transcripts.base import Probe

Json = dict[str, Any]
Parts = list[str]
MAX_SUMMARY_CHARS = 12_000
ALL_SUMMARY_CHARS = 120_000
MESSAGE_CHARS = 240
"""Of one summary, of all together, and of a message."""
_SENTENCES = re.compile(
    r"[^\n.;!?。！？；]*(?:[.;!?](?!\s)[^\n.;!?。！？；]*)*(?:[.;!?。！？；]+[\"'”’»)\]]*|\n|$)\s*"
)
_LEAD = 3  # of so many parts of a text that is cut, one stands before the fact


def follow(data: Json, runs: Sequence[Run], facts: Sequence[Probe]) -> Json:
    """Return ``data`` of the stage (:func:`memviz.dashboard.stage.data.stage_data`) of
    ``runs`` with what they say of ``facts``: each setting has ``summaries``, the parts
    of each that its requests hold by its version, and a message that holds a fact has
    parts in place of its beginning."""
    facts = tuple(facts)
    versions = [_versions(setting) for setting in data["settings"]]
    chars = min(MAX_SUMMARY_CHARS, ALL_SUMMARY_CHARS // max(1, sum(map(len, versions))))
    settings = []
    for setting, run, held in zip(data["settings"], runs, versions, strict=True):
        # Those too that are foreseen for the pending request.
        space = run.space if run.pending is None else run.pending.memory.space
        texts = [without_tags(version.text) for version in space.summaries.versions]
        summaries = {one: told(texts[one - 1], facts, chars) for one in held}
        own = setting["messages"] and _messages(
            setting["messages"], run, facts, data["base"]
        )
        settings.append({**setting, "summaries": summaries, "messages": own})
    longest = max(runs, key=lambda run: len(run.log))
    messages = _messages(data["messages"], longest, facts, data["base"])
    return {**data, "settings": settings, "messages": messages}


def told(text: str, facts: tuple[Probe, ...], chars: int) -> Parts:
    """Return ``text`` in parts: plain, one that holds a fact, plain, and so on; of a long one so many characters from
    its beginning, or around the first that holds a fact where that lies behind them."""
    said = list(_marked(text, facts))
    before = 0
    for part, holds in said:
        if holds:
            if before + len(part) <= chars:
                before = 0
            break
        before += len(part)
    else:
        before = 0
    cut = max(0, min(before - chars // _LEAD, len(text) - chars))
    parts = [""]
    at = 0
    for part, holds in said:
        shown = part[max(0, cut - at) : max(0, cut + chars - at)]
        at += len(part)
        if shown and holds == bool(len(parts) % 2):
            parts.append(shown)
        elif shown:
            parts[-1] += shown
    if cut:
        parts[0] = f"…{parts[0]}"
    if cut + chars < len(text):
        parts[-1] += "…"
    return parts


def _marked(text: str, facts: tuple[Probe, ...]) -> Iterator[tuple[str, bool]]:
    """The text sentence by sentence, those together that hold a fact, and those that hold none."""
    sentences = [found for found in _SENTENCES.findall(text) if found]
    if not (facts and sentences):
        yield text, False
        return
    pairs = zip(sentences, _hold(sentences, facts), strict=True)
    for held, group in groupby(pairs, key=lambda pair: pair[1]):
        yield "".join(sentence for sentence, _ in group), held


def _hold(texts: Sequence[str], facts: tuple[Probe, ...]) -> list[bool]:
    """Return which texts hold one of the facts."""
    return [bool(held.any()) for held in answers_of(facts).holding(texts).answers]


def _versions(setting: Mapping[str, Any]) -> list[int]:
    """Return the versions of summaries (from 1) that requests of a setting hold."""
    found: set[int] = set()
    for request in setting["requests"]:
        for kind, start, stop, *_ in request["pieces"] if request else ():
            if kind == "n":
                found.update(range(start + 1, stop + 1))
    return sorted(found)


def _messages(
    messages: Sequence[list[Any]], run: Run, facts: tuple[Probe, ...], base: int
) -> list[list[Any]]:
    if not (facts and messages):
        return list(messages)
    texts = []
    for position in range(base, base + len(messages)):
        texts.append(" ".join(readable(run.log[position]).split()))
    found = []
    rows = zip(messages, texts, _hold(texts, facts), strict=True)
    for (role, tokens, beginning, turn), text, holds in rows:
        shown = told(text, facts, MESSAGE_CHARS) if holds else beginning
        found.append([role, tokens, shown, turn])
    return found
