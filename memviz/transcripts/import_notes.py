"""Repairs and omissions of a reader, in sentences for the user."""

MAX_PLACES = 5
MAX_SENTENCES = 20


class ImportNotes:
    """Collects what a reader had to repair or leave out.

    All notes of one kind become one sentence: "a role was guessed: index 3, index 8."
    """

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, place: str = "") -> None:
        """Note what was done, a clause without full stop, and where if that is known."""
        self._places.setdefault(what, []).append(place)

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence for each kind, up to ``MAX_SENTENCES``; each names up to
        ``MAX_PLACES`` places.
        """
        sentences = [
            f"{what}{_where(places)}." for what, places in self._places.items()
        ]
        shown = sentences[:MAX_SENTENCES]
        hidden_count = len(sentences) - len(shown)
        if hidden_count:
            shown.append(f"and {hidden_count} findings of other kinds.")
        return tuple(shown)


def _where(places: list[str]) -> str:
    """Return ": index 3, index 8", or " (2 times)" for places that are not known."""
    if not places[0]:
        return f" ({len(places)} times)" if len(places) > 1 else ""
    more = f" and {len(places) - MAX_PLACES} more" if len(places) > MAX_PLACES else ""
    return f": {', '.join(places[:MAX_PLACES])}{more}"
