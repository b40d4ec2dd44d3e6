"""Repairs and omissions of a reader, in sentences for the user."""

MAX_PLACES = 5
MAX_SENTENCES = 20


class ImportNotes:
    """Collects what a reader had to repair or leave out. All notes of one kind become one sentence."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, place: str = "") -> None:
        """Note ``what`` was done, a clause without full stop, and where if that is known."""
        self._places.setdefault(what, []).append(place)

    def sentences(self) -> tuple[str, ...]:
        """One sentence for every kind, with at most ``MAX_PLACES`` of its places; at most ``MAX_SENTENCES``."""
        sentences = [
            f"{what}{_where(places)}." for what, places in self._places.items()
        ]
        hidden = len(sentences) - MAX_SENTENCES
        return (
            *sentences[:MAX_SENTENCES],
            *([f"and {hidden} findings of other kinds."] if hidden > 0 else []),
        )


def _where(places: list[str]) -> str:
    if not places[0]:
        return f" ({len(places)} times)" if len(places) > 1 else ""
    more = f" and {len(places) - MAX_PLACES} more" if len(places) > MAX_PLACES else ""
    return f": {', '.join(places[:MAX_PLACES])}{more}"
