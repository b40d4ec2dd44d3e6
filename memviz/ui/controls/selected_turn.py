"""The selected turn, one for all views of Compare and Facts, and what was summarized by then."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.engine.run import Run
from memviz.ui.controls.sidebar import TURN_KEY
from memviz.ui.shell.state import set_widget, widget_value


def turns_shown(settings: Sequence[SettingRun]) -> tuple[int, ...]:
    """All turns of which any of the settings made a request."""
    return tuple(sorted({record.turn for one in settings for record in one.run.turns}))


def selected_turn(settings: Sequence[SettingRun], run: Run) -> int:
    """The turn that is selected. As long as none is, or none of those shown: the first request of ``run``, one of
    theirs, whose summary took the place of another one; 0 where nothing was requested yet."""
    turns = turns_shown(settings)
    if not turns:
        return 0
    if widget_value(TURN_KEY) not in turns:
        set_widget(TURN_KEY, _first_turn(run, turns[-1]))
    return int(widget_value(TURN_KEY))


def _first_turn(run: Run, last: int) -> int:
    summarized = [record.turn for record in run.turns if any(one.written is not None for one in record.compactions)]
    return summarized[1] if len(summarized) > 1 else summarized[0] if summarized else last


def request_turns(run: Run) -> list[int]:
    """The turn of the first request that each compaction of ``run`` changed; where none came any more, the last one of
    its setting."""
    turns = _sent(run) | {id(compaction): turn for turn, compaction in run.unsent}
    return [turns[id(compaction)] for compaction in run.compactions]


def _sent(run: Run) -> dict[int, int]:
    """The turns of requests on record, by the identity of the compactions that changed them first."""
    return {id(compaction): record.turn for record in run.turns for compaction in record.compactions}


def event_at(run: Run, turn: int, chosen: int | None = None) -> int | None:
    """The number of the compaction that the request of ``turn`` rests on: the last one by then that wrote a summary,
    without one the last one at all, ``None`` if there was none. ``chosen`` is kept if no later request up to this one
    was changed by another."""
    turns, sent = request_turns(run), _sent(run)
    by_then = sorted((number for number, at in enumerate(turns) if at <= turn), key=turns.__getitem__)
    if not by_then:
        return None
    if chosen in by_then and turns[chosen] == turns[by_then[-1]]:
        return chosen
    in_requests = [number for number in by_then if id(run.compactions[number]) in sent] or by_then
    return next((number for number in reversed(in_requests) if run.compactions[number].written), in_requests[-1])
