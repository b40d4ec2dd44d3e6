"""Repairs and omissions of a reader, in sentences for the user."""

from memviz.core.file_places import place_words
from memviz.core.translation import Said, noop

MAX_PLACES = 5
MAX_SENTENCES = 20
SUBAGENTS = noop(
    "what subagents said in side conversations was left out (rows: {rows})"
)
UNREAD = noop("what could not be read was left out (rows: {rows})")


class ImportNotes:
    """Collects what a reader had to repair or leave out.

    All notes of one kind become one sentence: "a role was guessed: index 3, index 8."
    """

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, place: str = "") -> None:
        """Note what was done, a clause without full stop, and where if that is known."""
        self._places.setdefault(what, []).append(place)

    def sentences(self) -> tuple[Said, ...]:
        """Return one sentence for each kind, up to ``MAX_SENTENCES``; each names up to
        ``MAX_PLACES`` places.
        """
        sentences = [_sentence(Said.of(what), at) for what, at in self._places.items()]
        shown = sentences[:MAX_SENTENCES]
        hidden_count = len(sentences) - len(shown)
        if hidden_count:
            more = Said("and {number} findings of other kinds.", number=hidden_count)
            shown.append(more)
        return tuple(shown)


def _sentence(note: Said, places: list[str]) -> Said:
    """Return "note: index 3, index 8.", or "note (2 times)." for places that are not known."""
    times = len(places)
    if not places[0]:
        if times == 1:
            return Said("{note}.", note=note)
        return Said("{note} ({times} times).", note=note, times=times)
    named = tuple(map(place_words, places[:MAX_PLACES]))
    more = times - MAX_PLACES
    if more > 0:
        template = noop("{note}: {places} and {more} more.")
        return Said(template, note=note, places=named, more=more)
    return Said("{note}: {places}.", note=note, places=named)
