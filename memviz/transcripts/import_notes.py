"""Repairs, omissions and refusals of a reader, in sentences for the user."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.file_places import place_words
from memviz.core.translation import Said, _, noop

MAX_PLACES = 5
MAX_SENTENCES = 20
SUBAGENTS = noop(
    "what subagents said in side conversations was left out (rows: {rows})"
)
UNREAD = noop("what could not be read was left out (rows: {rows})")
AT_MORE_PLACES = noop("{note}: {places} and {more} more.")


class Refusal(NamedTuple):
    """The reason why something cannot be read, and what to do about it.

    Both may have places for values: ``Refusal("it has more than {most:,} rows.")``.
    """

    reason: str
    remedy: str = ""
    format: str = ""
    kind: type[TranscriptError] = TranscriptError

    def error(self, place: str = "", /, **values: Any) -> TranscriptError:
        """Return the error that says so, of what stands at this place of a file."""
        return self.kind(
            Said(self.reason, **values),
            format=self.format,
            place=place,
            remedy=_(self.remedy, **values),
        )


@dataclass(eq=False)
class ImportNotes:
    """Collects what a reader had to repair or leave out.

    All notes of one kind become one sentence: "a role was guessed: index 3, index 8."
    """

    _places: dict[str, list[str]] = field(default_factory=dict)
    """The places of each note."""

    def add(self, what: str, place: str = "") -> None:
        """Note what was done, a clause without full stop, and where if that is known."""
        self._places.setdefault(what, []).append(place)

    def sentences(self) -> tuple[Said, ...]:
        """Return one sentence for each kind, up to ``MAX_SENTENCES``; each names up to
        ``MAX_PLACES`` places.
        """
        sentences = [
            _sentence(Said.of(what), places) for what, places in self._places.items()
        ]
        first_sentences = sentences[:MAX_SENTENCES]
        hidden_count = len(sentences) - len(first_sentences)
        if hidden_count:
            more = Said("and {number} findings of other kinds.", number=hidden_count)
            first_sentences.append(more)
        return tuple(first_sentences)


def _sentence(note: Said, places: list[str]) -> Said:
    """Return "note: index 3, index 8.", or "note (2 times)." for places that are not known."""
    times = len(places)
    if not places[0]:
        if times == 1:
            return Said("{note}.", note=note)
        return Said("{note} ({times} times).", note=note, times=times)
    named_places = tuple(map(place_words, places[:MAX_PLACES]))
    more = times - MAX_PLACES
    if more > 0:
        template = AT_MORE_PLACES
        return Said(template, note=note, places=named_places, more=more)
    return Said("{note}: {places}.", note=note, places=named_places)
