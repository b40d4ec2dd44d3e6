"""The words for the time that a sweep takes, and for what it leaves out."""

from collections.abc import Iterator
from math import ceil

from memviz.core.text.wording import duration_words, listed
from memviz.core.translation import _, ngettext
from memviz.tuning.results import Sweep


def time_words(seconds: float) -> str:
    """Return a time that was worked out, rounded up: ``30 s``, ``5 min``."""
    whole = max(1, ceil(seconds))
    if whole >= 100:
        whole = 60 * ceil(whole / 60)
    return duration_words(whole)


def left_out_words(sweep: Sweep) -> Iterator[str]:
    """The sentences on the settings that were not measured: strategies of which none was, and how many of others."""
    left_out = sweep.left_out
    tried = {sweep.settings[place.setting].id for place in sweep.cells}
    missing = dict.fromkeys(_(one.title) for one in left_out if one.id not in tried)
    if missing:
        yield _("Not tried at all: {strategies}.", strategies=listed(missing))
    others = sum(one.id in tried for one in left_out)
    if others:
        yield ngettext(
            "{number:,} more setting is left out: values in the middle and at the ends come first.",
            "{number:,} more settings are left out: values in the middle and at the ends come first.",
            others,
            number=others,
        )
