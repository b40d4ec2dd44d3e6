"""Which conversations the figures in docs/ are measured on."""

from collections.abc import Iterator

from memviz.transcripts.base import Transcript
from memviz.transcripts.samples import bundled

MEASURED = ("chinese", "support", "trip", "tutoring")
"""The bundled conversations between people and assistants. The coding agent's is left out: it is short, and most of it
is what tools returned."""


def measured_conversations() -> Iterator[tuple[str, Transcript]]:
    """Each with its id."""
    yield from ((id, bundled()[id]) for id in MEASURED)
