"""The recordings that come with memviz: each named after its conversation, one of a second model with the model behind
it."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from memviz.core.errors import UnknownNameError
from memviz.models.recordings.files import SUFFIX, read_recording
from memviz.models.recordings.recording import Recording

_FOLDER = files("memviz.models.recordings") / "bundled_files"


class UnknownRecordingError(UnknownNameError):
    """No bundled recording has this name."""

    kind = "bundled recording"


class BundledRecordings(Mapping[str, Recording]):
    """The bundled recordings by name. Each is read once, when asked for."""

    def __init__(self) -> None:
        names = (entry.name for entry in _FOLDER.iterdir()) if _FOLDER.is_dir() else ()
        self._names = tuple(
            sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))
        )

    def __getitem__(self, name: str) -> Recording:
        if name not in self._names:
            raise UnknownRecordingError(name, self._names)
        return _read(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@cache
def _read(name: str) -> Recording:
    return read_recording((_FOLDER / (name + SUFFIX)).read_bytes(), name)


@cache
def recordings() -> BundledRecordings:
    """All bundled recordings by name: that of their conversation, or of a second model such as ``trip-smollm2``.
    ``memviz.model("recording:trip")`` plays one."""
    return BundledRecordings()
