"""Which conversations the figures in docs/ are measured on."""

from collections.abc import Iterator

from memviz.transcripts.base import Transcript
from memviz.transcripts.samples import bundled

MEASURED = ("chinese", "support", "trip", "tutoring")
"""The bundled conversations between one person and an assistant. The coding agent's is left out: it is short, and most
of it is what tools returned; so is the couple's, which is shorter still."""


def measured_conversations() -> Iterator[tuple[str, Transcript]]:
    """Each with its id."""
    yield from ((id, bundled()[id]) for id in MEASURED)
