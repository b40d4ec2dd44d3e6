"""The data of the stage as JSON: every step of some settings, small enough to lie in a page or a file.

Positions count from 0. Messages before ``base`` are drawn as one block; ``messages`` holds those from there on.

```
{"title", "measure": "tokens" | "dollars" | "memory", "step": "turn" | "request",
 "base": 0, "messages": [[role, tokens, text, turn], ...],
 "settings": [{"label", "setting": the same in every language, "index", "author", "rule",
               "isOpaque", "isList": its notes are lists of facts,
               "limits": [{"tokens": 1500, "words": "limit 1,500 of messages", "parts": ["history", "input"]}],
               "messages": null | [...],                            # its own, where a model answered for itself
               "requests": [REQ | null, ...]}],                     # one a step; null: none of its own at this step
 "steps": [[turn, call, calls], ...], "first": 0, "of": 46,         # these are steps first.. of so many
 "facts": [{"answer", "question", "turn"}], "questions": [QUESTION, ...], "at": 0, "chosen": 0,
 "kinds": {kind: noun}, "pieces": {letter: kind}, "colors": {...},
 "words": {English: translation}}                               # of the stage's own texts; none in English

REQ = {"pieces": [[kind, start, stop, tokens?], ...],               # see memviz/dashboard/stage/lane.py
       "tokens": 1085, "length": 25, "usd": "$0.0123", "known": "054..",  # one Knowledge code a fact, if changed
       "fates": [[start, stop, code], ...], "sizes": [[position, tokens], ...],     # what changed since the step before
       "limit": [0, 1085],                                          # which of the setting's limits, and what it counts
       "paid": [cached tokens, usd of these, usd of the others],    # of the request itself, without its reply
       "broken": "summary",                                         # who broke the cached prefix, if anybody did
       "fill": [18, 20, "messages"],                                # of what the rule counts, how much is held
       "before": [tokens, pieces, counted],                         # the request without what was done before it, and
                                                                    # what the limit counts of that
       "pending": true,                                             # nobody has answered it: drawn hollow
       "events": [{"kind", "sentence": [plain, bold, plain, ...], "facts"}]}
QUESTION = {"step", "setting": 2 | null, "text", "choices", "answer", "reason"}    # asked before `step` is shown
```

The request that is open at the end of a conversation is one step more behind all
others, if these are shown; it has no price and knows no facts, for it counts nowhere.
Parts of a REQ that are empty are left out. Of facts that are followed
``memviz/dashboard/lessons/followed_facts.py`` tells more. Besides, who shows the stage may set
``highlight`` (``{"facts": [...], "messages": [...], "settings": [...]}``),
``measures``, of which the visitor chooses what the lanes say, and ``controls``, the
names of the controls that are shown (default: all; see ``MEMVIZ_CONTROLS`` in
``stage.js``).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from memviz.core.translation import _
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.events import EVENT_NOUNS
from memviz.dashboard.stage.lane import PIECE_KINDS, colors, messages_of, own_words
from memviz.dashboard.stage.setting_steps import (
    MAX_FACTS,
    Json,
    PlayedPart,
    SettingSteps,
)
from memviz.dashboard.words import bundled_words
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import (
    RequestAxis,
    list_request_turns,
    make_axis,
)
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

Measure = Literal["tokens", "dollars", "memory"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
MAX_STEPS = 300
MAX_MESSAGES = 800
"""The steps that are played and the messages that are drawn one by one. Of a longer conversation the steps around the
one that is looked at are played; earlier messages are one block."""


def steps_around(step: int, steps: int) -> range:
    """Return the part of so many steps that is played around one of them (0-based)."""
    in_the_middle = step - MAX_STEPS // 2
    latest_first = steps - MAX_STEPS
    first = max(0, min(in_the_middle, latest_first))
    return range(first, min(steps, first + MAX_STEPS))


def stage_data(
    settings: Sequence[SettingRun],
    transcript: Transcript,
    *,
    retentions: Sequence[Retention | None] | None = None,
    assumptions: PricingAssumptions | None = None,
    measure: Measure = "tokens",
    steps: range | None = None,
    at: int | None = None,
    chosen: int | None = None,
    questions: Sequence[Mapping[str, Any]] = (),
) -> Json:
    """Return what the stage plays of ``settings``, all over one conversation.

    ``retentions``, one a setting, say which facts each request knows (default: of the transcript's own probes).
    ``assumptions`` price the requests. ``steps`` (0-based places of the shared axis) are those that can be played, by
    default all, or of a long conversation :data:`MAX_STEPS` around ``at``, the step it begins with. ``chosen`` is the
    number of the setting whose sentences and facts are shown; by default the first to which anything happens.
    """
    axis = make_axis(setting.run for setting in settings)
    all_steps = range(int(axis.lasts[-1]))
    if steps is None:
        steps = steps_around(at or 0, len(all_steps))
    steps = all_steps[steps.start : steps.stop]
    texts_by_log: dict[int, ProbeTexts] = {}
    if retentions is None:
        texts_by_log = look_up_facts(settings, transcript)
        retentions = retentions_of(settings, texts_by_log)
    part = PlayedPart(axis, steps, _base(settings, axis, steps))
    lanes = []
    for setting, retained in zip(settings, retentions, strict=True):
        texts = texts_by_log.get(id(setting.run.log))
        lanes.append(SettingSteps(setting, part, retained, texts, assumptions))
    # One step more, if any setting has a request that nobody has answered.
    pending_records = [lane.pending for lane in lanes if lane.pending is not None]
    pending = pending_records[0] if pending_records else None
    if chosen is None:
        eventful = [number for number, lane in enumerate(lanes) if lane.run.compactions]
        chosen = min(eventful, default=0)
    return {
        "title": bundled_words(transcript.title),
        "measure": measure,
        "step": "turn" if axis.is_by_turn else "request",
        "base": part.base,
        **_messages_and_settings(lanes, part.base, is_open=pending is not None),
        "steps": _request_names(axis, steps, pending),
        "first": steps.start,
        "of": len(all_steps) + (pending is not None),
        "facts": _facts(lanes[0].run, retentions),
        "questions": [dict(question) for question in questions],
        "at": at if at in steps else steps.start,
        "chosen": chosen,
        "kinds": {kind: _(noun) for kind, noun in EVENT_NOUNS.items()},
        "pieces": PIECE_KINDS,
        "colors": colors(),
        **own_words(),
    }


def look_up_facts(
    settings: Sequence[SettingRun], transcript: Transcript
) -> dict[int, ProbeTexts]:
    """Return where the transcript's own facts stand in the logs of the settings, by ``id(log)``: looking them up takes
    longest, so settings that share a log share it. Empty where the transcript has no facts."""
    texts_by_log: dict[int, ProbeTexts] = {}
    for setting in settings:
        log = setting.run.log
        if transcript.probes and id(log) not in texts_by_log:
            texts_by_log[id(log)] = ProbeTexts(log, transcript.probes)
    return texts_by_log


def retentions_of(
    settings: Sequence[SettingRun], texts_by_log: Mapping[int, ProbeTexts]
) -> list[Retention | None]:
    """Return what each setting retains of the facts that :func:`look_up_facts` looked up; ``None`` where there are
    none."""
    retentions: list[Retention | None] = []
    for setting in settings:
        texts = texts_by_log.get(id(setting.run.log))
        retained = None
        if texts is not None:
            retained = retention(setting.run, texts.probes, texts)
        retentions.append(retained)
    return retentions


def _request_names(
    axis: RequestAxis, steps: range, pending: TurnRecord | None
) -> list[list[int]]:
    """Return the turn, the call and the number of calls in the turn of each step."""
    names = [list(axis.request_at(place + 1)) for place in steps]
    if pending is not None:
        names.append([pending.turn, pending.call, pending.call])
    return names


def _facts(run: Run, retentions: Sequence[Retention | None]) -> list[Json]:
    """Return the facts that are followed, each with the turn that states it last, if the log comes to that."""
    measured = [retained for retained in retentions if retained is not None]
    if not measured:
        return []
    facts = []
    for probe in measured[0].probes[:MAX_FACTS]:
        stated_at = max(probe.evidence, default=None)
        turn = None
        if stated_at is not None and stated_at < len(run.log):
            turn = run.log.turn_number(stated_at)
        fact = {"answer": probe.answers[0], "question": probe.question, "turn": turn}
        facts.append(fact)
    return facts


def _base(settings: Sequence[SettingRun], axis: RequestAxis, steps: range) -> int:
    """Return the first message that is drawn by itself."""
    longest = 0
    for setting in settings:
        places = axis.places(list_request_turns(setting.run))
        # Places count from 1, steps from 0: these are the requests up to the last step.
        requests = int(np.searchsorted(places, steps.stop, side="right"))
        if requests:
            longest = max(longest, int(setting.run.columns.lengths[requests - 1]))
    return max(0, longest - MAX_MESSAGES)


def _messages_and_settings(
    lanes: Sequence[SettingSteps], base: int, *, is_open: bool
) -> Json:
    """Return the lanes, and the messages they share: those of the longest, where all say the same."""
    first = lanes[0]
    log = first.run.log
    # Logs of one conversation are mostly one object: only others are compared message by message.
    has_own = [lane.run.log is not log and lane.run.log[:] != log[:] for lane in lanes]
    shared = first if any(has_own) else max(lanes, key=lambda lane: lane.stop)
    settings = []
    for lane, has_own_messages in zip(lanes, has_own, strict=True):
        settings.append(lane.as_data(has_own=has_own_messages, is_open=is_open))
    messages = messages_of(shared.run, base, shared.stop)
    return {"messages": messages, "settings": settings}
