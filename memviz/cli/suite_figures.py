"""The figures of two suites beside each other, what got worse first: what ``memviz diff main.json pr.json`` says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from memviz.core.errors import MemvizError
from memviz.core.text.visible import put_on_one_line
from memviz.core.text.wording import counted, dollars
from memviz.transcripts.markdown import code_span

MOST_FILE_BYTES = 100_000_000
MOST_NAMED = 5
"""Facts of one setting that are named as lost."""
COLUMNS = ("facts kept", "half-life", "tokens", "dollars", "thrash")


class FiguresError(MemvizError):
    """A file does not hold the figures of a suite."""


@dataclass(frozen=True, slots=True)
class SettingFigures:
    """The figures of one ``memviz.testing.replay`` of a suite."""

    test: str
    """The id of the test that made it: ``tests/test_memory.py::test_rule``."""
    number: int
    """The number of the replay among those of its test, from 1."""
    setting: str
    facts: int
    facts_kept: int
    facts_lost: tuple[str, ...]
    half_life: float | None
    """In requests; ``None`` where more than half of the facts are known at every age."""
    tokens: int
    usd: float | None
    thrash: bool
    keeps: dict[str, bool]
    """The phrases that the test asked about, and which of them were kept."""

    @property
    def share(self) -> float:
        """The share of the facts that is kept; 1 where there is none."""
        return self.facts_kept / self.facts if self.facts else 1.0


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One setting before and after; ``None`` where it is in one of the two suites only."""

    before: SettingFigures | None
    after: SettingFigures | None
    tolerance_percent: float

    @property
    def losses(self) -> tuple[str, ...]:
        """The changes for the worse, a phrase each, the gravest first; empty where there is none."""
        if self.before is None or self.after is None:
            return ()
        return tuple(_losses(self.before, self.after, self.tolerance_percent))

    @property
    def order(self) -> tuple[float, ...]:
        """Smaller for what comes first: guarded phrases that are lost, then facts, half-lives, new thrash, dollars;
        what is in one suite only comes last."""
        before = self.before
        after = self.after
        if before is None or after is None:
            return (2,)
        return (
            0 if self.losses else 1,
            -len(_lost_phrases(before, after)),
            after.share - before.share,
            not _is_shorter(before, after),
            before.thrash - after.thrash,
            -_rise_percent(before.usd, after.usd),
        )


@dataclass(frozen=True, slots=True)
class FiguresComparison:
    """All settings of two suites, what got worse first."""

    changes: tuple[SettingChange, ...]

    @property
    def worse(self) -> tuple[SettingChange, ...]:
        """The settings of which anything got worse."""
        return tuple(change for change in self.changes if change.losses)

    @property
    def gone(self) -> tuple[SettingChange, ...]:
        """The settings that the second suite has no figures of, so that nothing is known of them."""
        return tuple(change for change in self.changes if change.after is None)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return it as JSON, a row a setting."""
        return [
            {**asdict(change), "worse": list(change.losses)} for change in self.changes
        ]

    def to_markdown(self) -> str:
        """Return it as Markdown for a pull request: what got worse, what is gone, and a table of all settings."""
        lines = [self._headline(), ""]
        for change in self.worse:
            lines.append(f"- {_place(change)}: {'; '.join(change.losses)}")
        for change in self.gone:
            lines.append(f"- {_place(change)}: not compared")
        if self.worse or self.gone:
            lines.append("")
        lines.append(f"| setting | {' | '.join(COLUMNS)} |")
        lines.append("|---" * (len(COLUMNS) + 1) + "|")
        lines += map(_table_row, self.changes)
        return "\n".join(lines) + "\n"

    def _headline(self) -> str:
        """Return what was found in one line: ``**Worse: 1 of 3 settings, 2 settings are gone.**``."""
        missing = ""
        if self.gone:
            verb = "is" if len(self.gone) == 1 else "are"
            missing = f", {counted(self.gone, 'setting')} {verb} gone"
        in_both = [change for change in self.changes if change.before and change.after]
        number = counted(in_both, "setting")
        if self.worse:
            return f"**Worse: {len(self.worse):,} of {number}{missing}.**"
        return f"**Nothing got worse in {number}{missing}.**"


_SETTINGS = TypeAdapter(list[SettingFigures])


def read_figures(path: str | Path) -> dict[tuple[str, int], SettingFigures]:
    """Return the figures of a file that ``pytest --memviz-json`` wrote, by test and number.

    Raises :class:`FiguresError`.
    """
    file = Path(path)
    try:
        if file.stat().st_size > MOST_FILE_BYTES:
            raise FiguresError(f"{file} is too large to be the figures of a suite.")
        value = json.loads(file.read_text(encoding="utf-8"))
        settings = _SETTINGS.validate_python(value["runs"])
    except OSError as error:
        raise FiguresError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FiguresError(
            f"{file} does not hold the figures of a suite. "
            "`pytest --memviz-json PATH` writes them."
        ) from None
    return {(setting.test, setting.number): setting for setting in settings}


def compare_figures(
    before: Mapping[tuple[str, int], SettingFigures],
    after: Mapping[tuple[str, int], SettingFigures],
    tolerance_percent: float,
) -> FiguresComparison:
    """Return the settings of two suites beside each other. Of the same test the replays are taken in their order, so
    that a setting that was given another number is the same setting. Tokens and dollars may rise by
    ``tolerance_percent`` and are as good as before."""
    keys = sorted({*before, *after})
    changes = [
        SettingChange(before.get(key), after.get(key), tolerance_percent)
        for key in keys
    ]
    return FiguresComparison(tuple(sorted(changes, key=lambda change: change.order)))


def _losses(
    before: SettingFigures, after: SettingFigures, tolerance_percent: float
) -> Iterator[str]:
    for phrase in _lost_phrases(before, after):
        yield f"no longer keeps {_code(phrase)}"
    if after.share < before.share:
        yield f"facts kept {_facts_cell(before)} → {_facts_cell(after)}{_new_losses(before, after)}"
    if _is_shorter(before, after):
        yield f"half-life {_half_life_cell(before)} → {_half_life_cell(after)}"
    if after.thrash and not before.thrash:
        yield "a summary is written at nearly every request"
    if _rise_percent(before.tokens, after.tokens) > tolerance_percent:
        yield f"tokens {before.tokens:,} → {after.tokens:,}"
    if _rise_percent(before.usd, after.usd) > tolerance_percent:
        yield f"dollars {_usd_cell(before)} → {_usd_cell(after)}"


def _lost_phrases(before: SettingFigures, after: SettingFigures) -> list[str]:
    return [
        phrase
        for phrase, is_kept in after.keeps.items()
        if before.keeps.get(phrase) and not is_kept
    ]


def _is_shorter(before: SettingFigures, after: SettingFigures) -> bool:
    """Return whether facts are known for a shorter time: for 11 requests, and before for 12 or always."""
    if after.half_life is None:
        return False
    return before.half_life is None or after.half_life < before.half_life


def _new_losses(before: SettingFigures, after: SettingFigures) -> str:
    """Return the facts that are lost now and were not before: ``, now without `The code is 7742.```."""
    new = [fact for fact in after.facts_lost if fact not in before.facts_lost]
    if not new:
        return ""
    names = ", ".join(map(_code, new[:MOST_NAMED]))
    more = f" and {len(new) - MOST_NAMED:,} more" if len(new) > MOST_NAMED else ""
    return f", now without {names}{more}"


def _rise_percent(before: float | None, after: float | None) -> float:
    """Return by how many percent a number rose: 200 -> 210 is 5.0; 0 where one is unknown."""
    if before is None or after is None:
        return 0.0
    if not before:
        return inf if after else 0.0
    return round(100 * (after - before) / before, 6)


def _table_row(change: SettingChange) -> str:
    cells = [_place(change).replace("|", "\\|")]
    for cell in (_facts_cell, _half_life_cell, _tokens_cell, _usd_cell, _thrash_cell):
        values = [cell(figures) for figures in (change.before, change.after) if figures]
        cells.append(" → ".join(dict.fromkeys(values)))
    return f"| {' | '.join(cells)} |"


def _place(change: SettingChange) -> str:
    """Return the setting, before and after where it changed, and its test."""
    sides = [side for side in (change.before, change.after) if side is not None]
    settings = dict.fromkeys(_code(side.setting) for side in sides)
    place = f"{' → '.join(settings)} in {_code(sides[0].test)}"
    if change.before is None:
        return f"{place} (new)"
    return f"{place} (gone)" if change.after is None else place


def _facts_cell(figures: SettingFigures) -> str:
    return f"{figures.facts_kept:,} of {figures.facts:,}"


def _half_life_cell(figures: SettingFigures) -> str:
    if figures.half_life is None:
        return "not reached"
    return counted(int(figures.half_life), "request")


def _tokens_cell(figures: SettingFigures) -> str:
    return f"{figures.tokens:,}"


def _usd_cell(figures: SettingFigures) -> str:
    return "unknown" if figures.usd is None else dollars(figures.usd)


def _thrash_cell(figures: SettingFigures) -> str:
    return "yes" if figures.thrash else "no"


def _code(text: str) -> str:
    """Return a text as code, in which nothing is markup and nobody is called by an @: "a `b`" -> ``a `b` ``."""
    return code_span(put_on_one_line(text))
