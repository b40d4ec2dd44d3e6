"""The conversations that come with memviz."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from memviz.core.errors import UnknownNameError
from memviz.transcripts.base import Transcript
from memviz.transcripts.loading import load_transcript

_FOLDER = files("memviz.transcripts") / "bundled"


class UnknownSampleError(UnknownNameError):
    """No bundled conversation has this id."""

    kind = "bundled conversation"


class BundledSamples(Mapping[str, Transcript]):
    """The bundled conversations by id, which is the name of the file. Each is read once, when asked for."""

    def __init__(self) -> None:
        names = (entry.name for entry in _FOLDER.iterdir())
        self._ids = tuple(
            sorted(
                name.removesuffix(".json") for name in names if name.endswith(".json")
            )
        )

    def __getitem__(self, id: str) -> Transcript:
        if id not in self._ids:
            raise UnknownSampleError(id, self._ids)
        return _read(id)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def titles(self) -> dict[str, str]:
        """The title of every conversation, by id."""
        return {id: transcript.title for id, transcript in self.items()}


def bundled_folder() -> Path:
    """The folder of the bundled conversations, a file each."""
    return Path(str(_FOLDER))


@cache
def _read(id: str) -> Transcript:
    return replace(
        load_transcript((_FOLDER / f"{id}.json").read_bytes()), format="bundled"
    )


@cache
def bundled() -> BundledSamples:
    """All bundled conversations by id."""
    return BundledSamples()


def sample(id: str) -> Transcript:
    """The bundled conversation of this id.

    Raises :class:`UnknownSampleError`, which lists the ids.
    """
    return bundled()[id]
