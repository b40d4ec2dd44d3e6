"""The settings whose summaries were recorded. A sweep has one summarizer for all of its
settings: with a recording, only what it holds can be measured."""

from collections.abc import Sequence
from typing import NamedTuple

from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.ui.controls.authorship import (
    ALL_STAND_IN,
    LINE_KEY,
    offer_summarizer,
    say_who_swept,
)
from memviz.dashboard.ui.controls.conversations import looked_at_conversation
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import row, show_info
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.text import plain
from memviz.models.names import RECORDED_FIRST, RECORDING
from memviz.strategies.base import Strategy

ALONE_HELP = noop(
    "Measure them with the summaries that a language model wrote, beside the settings that summarize "
    "nothing. A sweep has one summarizer for all of its settings, so the others are left out."
)
BACK_HELP = noop(
    "A sweep has one summarizer for all of its settings, and the built-in model writes for any."
)


class Measurable(NamedTuple):
    """The part of a sweep that its summarizer can measure."""

    settings: tuple[Strategy, ...]
    left_out: int
    """Number of settings that it cannot measure: the recording has no summaries of them."""
    recording: str
    """Name of the recording that plays the most of the settings; empty if none plays any."""
    recorded: int
    """Number of settings that it plays."""


def recorded_settings(ids: Sequence[str]) -> list[Strategy]:
    """Return the settings whose summaries are recorded for any of these conversations."""
    recordings = workspace().recordings
    counter = compare_state().counter
    # A dict for its order, and to have each once.
    settings: dict[Strategy, None] = {}
    for id in ids:
        talk = looked_at_conversation(id)
        settings |= dict.fromkeys(recordings.settings_of(*talk, counter))
    return list(settings)


def measurable_with(
    ids: Sequence[str], settings: Sequence[Strategy], summarizer: str
) -> Measurable:
    """Return what a sweep of ``settings`` can measure with the summarizer of this name.

    Any model can measure all of them. A recording plays only the summaries that it holds,
    and the settings that write none.
    """
    is_recording = summarizer.startswith(RECORDING)
    # The recordings that a button may offer, and the one that was chosen.
    names = []
    if recorded_settings(ids):
        names = [RECORDING + name for name in workspace().recordings.unasked]
    if is_recording:
        names.append(summarizer)
    played = {name: _settings_played(name, ids, settings) for name in names}
    measured = tuple(settings)
    if is_recording:
        own = played[summarizer]
        measured = tuple(
            setting
            for setting in settings
            if not setting.writes_notes or setting in own
        )
    best = max(played, key=lambda name: len(played[name]), default="")
    recorded = len(played.get(best, ()))
    return Measurable(
        settings=measured,
        left_out=len(settings) - len(measured),
        recording=best if recorded else "",
        recorded=recorded,
    )


def _settings_played(
    recording: str, ids: Sequence[str], settings: Sequence[Strategy]
) -> list[Strategy]:
    """Return the settings whose summaries a recording has for all these conversations."""
    recordings = workspace().recordings
    counter = compare_state().counter
    talks = [looked_at_conversation(id) for id in ids]
    played = []
    for setting in settings:
        if setting.writes_notes and all(
            recordings.plays(recording, *talk, setting, counter) for talk in talks
        ):
            played.append(setting)
    return played


def draw_summarizer_line(summarizer: str, measurable: Measurable) -> None:
    """Draw the line above the picture: who wrote the summaries of all settings, with a
    button that measures them the other way."""
    with row(LINE_KEY, gap="xsmall"):
        if not summarizer.startswith(RECORDING):
            say_who_swept(summarizer)
            if measurable.recorded:
                label = ngettext(
                    "Only the recorded one",
                    "Only the {number:,} recorded ones",
                    measurable.recorded,
                )
                offer_summarizer(label, measurable.recording, _(ALONE_HELP))
            return
        recording = workspace().recordings.all.get(summarizer.removeprefix(RECORDING))
        say_who_swept(
            summarizer,
            models=recording.models if recording is not None else (),
            left_out=measurable.left_out,
        )
        offer_summarizer(_(ALL_STAND_IN), RECORDED_FIRST, _(BACK_HELP))


def say_none_recorded(summarizer: str) -> None:
    """Say that the recording holds none of the settings, with a button that measures them
    with the built-in model."""
    show_info(
        _(
            "{recording} is a recording that holds none of these settings over these conversations.",
            recording=plain(summarizer.removeprefix(RECORDING)),
        )
    )
    offer_summarizer(_(ALL_STAND_IN), RECORDED_FIRST, _(BACK_HELP))
