"""The dollars that visitors have spent, in the library of their server."""

from __future__ import annotations

from dataclasses import dataclass

from memviz.storage.store import Store


@dataclass(frozen=True)
class LibraryAccount:
    """An account of :class:`memviz.models.shared_budget.SharedBudget`, under a name in a library: a text such as
    "0.125", the US dollars that are booked. All servers over the library share it."""

    store: Store
    name: str

    @property
    def booked_usd(self) -> float:
        """The dollars that are booked. Raises :class:`memviz.core.storage_errors.StorageError`."""
        return float(self.store.class_text(self._key) or 0)

    def book(self, usd: float, limit_usd: float) -> bool:
        """Book dollars, and return ``True``, unless more than the limit would be booked. Raises
        :class:`memviz.core.storage_errors.StorageError`."""
        with self.store.changing_class_text(self._key) as changing:
            booked_usd = float(changing.text or 0) + usd
            if booked_usd > limit_usd:
                return False
            changing.text = str(booked_usd)
        return True

    def give_back(self, usd: float) -> None:
        """Take dollars off again. Raises :class:`memviz.core.storage_errors.StorageError`."""
        with self.store.changing_class_text(self._key) as changing:
            changing.text = str(max(0.0, float(changing.text or 0) - usd))

    @property
    def _key(self) -> str:
        return f"spent {self.name}"
