"""A setting on a chart of requests: its line, and where its requests stand."""

from __future__ import annotations

from dataclasses import dataclass

from memviz.dashboard.charts.grammar import Part
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.charts.turn_axis import request_id
from memviz.metrics.requests.request_axis import Places, RequestAxis, request_turns


@dataclass(frozen=True, eq=False)
class PlacedSetting:
    """One setting of several on a shared axis."""

    setting: SettingRun
    number: int
    """The number of its line, which groups all that belongs to it in the legend."""
    axis: RequestAxis

    @property
    def places(self) -> Places:
        """The place of every request."""
        return self.axis.places(request_turns(self.setting.run))

    @property
    def visible(self) -> Part:
        """What a trace says to be seen, or hidden, with the line."""
        shown = True if self.setting.shown else "legendonly"
        return {"legendgroup": str(self.number), "visible": shown}

    @property
    def beside_its_line(self) -> Part:
        """The same for what the legend does not name."""
        return {**self.visible, "showlegend": False}

    def id_of(self, request: int) -> str:
        """The id of the point of a request."""
        return f"{self.number}:{request_id(self.setting.run, request)}"
