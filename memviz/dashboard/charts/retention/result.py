"""The facts that one setting kept, as the charts of retention take them."""

from dataclasses import dataclass, field
from enum import Enum

from memviz.core.translation import noop
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.engine.run import Run
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.life_lines import LifeLine, Losses, VersionProbes
from memviz.metrics.retention.probe_texts import Bools


class Measure(Enum):
    """A rule by which a fact counts as known."""

    RETAINED = noop("Could be known")
    CONTAINED = noop("Answer contained")
    EVIDENCE = noop("Message word for word")

    def of(self, retention: Retention) -> Bools:
        """The matrix [requests x probes] of this measure."""
        return {
            Measure.RETAINED: retention.retained,
            Measure.CONTAINED: retention.contained,
            Measure.EVIDENCE: retention.evidence,
        }[self]


@dataclass(frozen=True, eq=False)
class RetentionResult:
    """One setting with its matrices, the life of every fact and what ended it each time, and what each of the run's
    compactions did to the facts."""

    setting: SettingRun
    retention: Retention
    lives: tuple[LifeLine, ...]
    losses: Losses = field(default_factory=dict)
    by_compaction: tuple[VersionProbes, ...] = ()

    @property
    def run(self) -> Run:
        """The run of the line."""
        return self.setting.run
