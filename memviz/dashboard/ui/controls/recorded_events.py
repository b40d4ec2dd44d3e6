"""The events that an imported file tells of: what the own program of a conversation did to its memory."""

from collections.abc import Iterator

import streamlit as st

from memviz.core.conversation import Log
from memviz.core.text.wording import comma_list, counted
from memviz.core.translation import _
from memviz.dashboard.ui.shell.elements import drawer, header
from memviz.dashboard.ui.shell.text import plain
from memviz.transcripts.base import RecordedEvent, Transcript
from memviz.transcripts.times import moment

MAX_EVENTS_SHOWN = 50


def event_sentence(event: RecordedEvent) -> str:
    """Return an event as a sentence: its kind, size and time, as far as the file says so."""
    what = _("A summary that its program kept")
    if event.kind == "compaction":
        what = _("Its program compacted here")
    if event.reason:
        what = _("{what} ({reason})", what=what, reason=event.reason)
    sizes = comma_list(_event_sizes(event))
    at = moment(event.time)
    time = f"{at:%Y-%m-%d %H:%M} UTC" if at else ""
    return _(". ").join(filter(None, [what, sizes, time])) + _(".")


def _event_sizes(event: RecordedEvent) -> Iterator[str]:
    if event.tokens_before is not None:
        yield _("{tokens} before", tokens=counted(event.tokens_before, "token"))
    if event.tokens_after is not None:
        yield _("{tokens} after", tokens=counted(event.tokens_after, "token"))


def draw_recorded_events(transcript: Transcript, log: Log) -> None:
    """Draw all events, each with its text; nothing where there are none."""
    events = transcript.events
    if not events:
        return
    header(_("What its own program did"))
    st.caption(
        _(
            "{events} recorded in the file that this conversation was imported from. They are not part of any "
            "replay: compare them with what each setting did.",
            events=counted(events, "event"),
        )
    )
    for number, event in enumerate(events[:MAX_EVENTS_SHOWN], 1):
        turn = 0
        if event.after_message:
            turn = log.turn_number(min(event.after_message, len(log)) - 1)
        label = _(
            "{number}. After turn {turn}: {event}",
            number=number,
            turn=turn,
            event=plain(event_sentence(event)),
        )
        with drawer(label, ":material/history_edu:"):
            st.text(event.text or _("The file does not say what the summary was."))
    if len(events) > MAX_EVENTS_SHOWN:
        st.caption(_("And {value:,} more.", value=len(events) - MAX_EVENTS_SHOWN))
