"""The run of one setting, as every chart, table and page takes it."""

from dataclasses import dataclass

from memviz.engine.run import Run


@dataclass(frozen=True, slots=True)
class SettingRun:
    """One setting: its run, what it is called, and how it looks."""

    run: Run
    label: str
    index: int
    """Decides its colour and its dash."""
