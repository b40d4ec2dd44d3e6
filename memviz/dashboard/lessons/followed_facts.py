"""Mark facts in the texts of the stage: in whole summaries, and in the sentences of messages that hold one.

A step of a lesson that follows facts passes the data of its stage through :func:`follow_facts`.

A text is a list of parts of which every second one holds a fact: ``["We fly on ", "May 3rd. ", "Then we rest."]``.
Nothing in it is ever markup.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from memviz.engine.run import Run
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.probe_texts import read_answers
from memviz.metrics.summaries.facts import strip_tags
from memviz.transcripts.base import Probe

Json = dict[str, Any]
Parts = list[str]
MAX_SUMMARY_CHARS = 12_000
"""The most characters of one summary."""
ALL_SUMMARY_CHARS = 120_000
"""The most characters of the summaries of all settings together."""
MESSAGE_CHARS = 240
"""The most characters of a message."""
_SENTENCES = re.compile(
    r"[^\n.;!?。！？；]*(?:[.;!?](?!\s)[^\n.;!?。！？；]*)*(?:[.;!?。！？；]+[\"'”’»)\]]*|\n|$)\s*"
)
"""A sentence with the space behind it. ``Version 2.5 is out. We use it.`` is two of them."""
_LEAD = 3
"""A third of an excerpt stands before the fact."""


def follow_facts(data: Json, runs: Sequence[Run], facts: Sequence[Probe]) -> Json:
    """Return ``data``, which :func:`memviz.dashboard.stage.data.stage_data` made of ``runs``, with ``facts`` marked.

    Each setting gets ``summaries``: the parts of each summary that its requests hold, by version. A message that holds
    a fact gets parts in place of its beginning.
    """
    facts = tuple(facts)
    versions = [_versions(setting) for setting in data["settings"]]
    chars = min(MAX_SUMMARY_CHARS, ALL_SUMMARY_CHARS // max(1, sum(map(len, versions))))
    settings = []
    for setting, run, numbers in zip(data["settings"], runs, versions, strict=True):
        # Summaries too that are foreseen for the pending request.
        space = run.space if run.pending is None else run.pending.memory.space
        summaries = {}
        for number in numbers:
            text = strip_tags(space.summaries.versions[number - 1].text)
            summaries[number] = split_at_facts(text, facts, chars)
        own_messages = setting["messages"]
        if own_messages:
            own_messages = _messages(own_messages, run, facts, data["base"])
        settings.append({**setting, "summaries": summaries, "messages": own_messages})
    longest = max(runs, key=lambda run: len(run.log))
    messages = _messages(data["messages"], longest, facts, data["base"])
    return {**data, "settings": settings, "messages": messages}


def split_at_facts(text: str, facts: tuple[Probe, ...], chars: int) -> Parts:
    """Return ``text`` in parts: plain, one that holds a fact, plain, and so on; of a long one so many characters from
    its beginning, or around the first that holds a fact where that lies behind them."""
    stretches = list(_stretches(text, facts))
    start = _start_of_excerpt(stretches, chars, len(text))
    parts = [""]
    position = 0
    for stretch, holds_fact in stretches:
        first = max(0, start - position)
        stop = max(0, start + chars - position)
        excerpt = stretch[first:stop]
        position += len(stretch)
        # Plain parts have even places in the list, parts with a fact odd ones.
        if excerpt and holds_fact == bool(len(parts) % 2):
            parts.append(excerpt)
        elif excerpt:
            parts[-1] += excerpt
    if start:
        parts[0] = f"…{parts[0]}"
    if start + chars < len(text):
        parts[-1] += "…"
    return parts


def _start_of_excerpt(
    stretches: Sequence[tuple[str, bool]], chars: int, text_chars: int
) -> int:
    """Return the character at which an excerpt begins, so that the first fact is in it."""
    before = 0
    for stretch, holds in stretches:
        if holds and before + len(stretch) > chars:
            return max(0, min(before - chars // _LEAD, text_chars - chars))
        if holds:
            return 0
        before += len(stretch)
    return 0


def _stretches(text: str, facts: tuple[Probe, ...]) -> Iterator[tuple[str, bool]]:
    """The text in stretches of sentences that hold a fact (true), and of sentences that hold none."""
    sentences = list(filter(None, _SENTENCES.findall(text)))
    if not (facts and sentences):
        yield text, False
        return
    pairs = zip(sentences, _mark_holders(sentences, facts), strict=True)
    for holds, group in groupby(pairs, key=lambda pair: pair[1]):
        yield "".join(sentence for sentence, _holds in group), holds


def _mark_holders(texts: Sequence[str], facts: tuple[Probe, ...]) -> list[bool]:
    """Return which texts hold one of the facts."""
    return [
        bool(in_text.any())
        for in_text in read_answers(facts).find_answers(texts).answers
    ]


def _versions(setting: Mapping[str, Any]) -> list[int]:
    """Return the versions of summaries (from 1) that requests of a setting hold."""
    versions: set[int] = set()
    for request in filter(None, setting["requests"]):
        for kind, start, stop, *_tokens in request["pieces"]:
            if kind == "n":
                versions.update(range(start + 1, stop + 1))
    return sorted(versions)


def _messages(
    messages: Sequence[list[Any]], run: Run, facts: tuple[Probe, ...], base: int
) -> list[list[Any]]:
    if not (facts and messages):
        return list(messages)
    texts = []
    for position in range(base, base + len(messages)):
        texts.append(" ".join(read_message(run.log[position]).split()))
    followed = []
    rows = zip(messages, texts, _mark_holders(texts, facts), strict=True)
    for (role, tokens, words, turn), text, holds in rows:
        if holds:
            words = split_at_facts(text, facts, MESSAGE_CHARS)
        followed.append([role, tokens, words, turn])
    return followed
