"""Running sums of a log in a form in which reads that were read again are sent otherwise than all else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memviz.core.counters import FormSums, TokenSums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memviz.core.forms import Superseded


class SupersededSums(FormSums):
    """The sums of a log of which the results at the positions ``superseded`` are counted as in ``older``, and all else
    as in ``others``. Counted nowhere: it is made of sums that are there, each time that something is read again."""

    def __init__(
        self,
        form: Superseded,
        older: TokenSums,
        others: TokenSums,
        superseded: NDArray[np.int64],
    ) -> None:
        import numpy as np  # not to be waited for by those who only count

        super().__init__(others, form, lambda position: None)
        behind = superseded + 1
        olds = older.arrays.totals
        news = others.arrays.totals
        more = np.zeros(len(news), np.int64)
        more[behind] = olds[behind] - olds[superseded] - news[behind] + news[superseded]
        self.totals = (news + np.cumsum(more)).tolist()
        # A result calls nothing, is no reply, and its name stays.
        self.reply_totals = others.reply_totals
        self.call_totals = others.call_totals
        self.name_totals = others.name_totals
        changed = others.changed if isinstance(others, FormSums) else []
        self.changed = sorted({*changed, *superseded.tolist()})

    def _extend(self, messages: object) -> None:
        raise AssertionError("a log that grew makes the sums anew")
