"""The bytes of a file that is to be read, within the limits."""

from __future__ import annotations

from pathlib import Path

from memviz.core.translation import _, noop
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.limits import Limits

NOT_OPENED = Refusal(
    noop("the file cannot be opened: {found}."),
    noop("Check the path."),
)
TOO_LARGE = Refusal(
    noop("the file is larger than the limit of {limit:,} bytes."),
    noop("Split it, or raise MEMVIZ_IMPORT_FILE_BYTES."),
)


def read_file_bytes(source: str | Path | bytes, limits: Limits) -> bytes:
    """Return the bytes of a file. Raises :class:`TranscriptError` for one that is not there, or too large."""
    limit = limits.file_bytes
    data = source
    if not isinstance(data, bytes):
        data = _read_bytes(Path(data), limit + 1)
    if len(data) > limit:
        raise TOO_LARGE.error(limit=limit)
    return data


def _read_bytes(path: Path, at_most_bytes: int) -> bytes:
    try:
        if path.is_file():
            with path.open("rb") as file:
                return file.read(at_most_bytes)
        reason = _("there is no such file")
        if path.is_dir():
            reason = _("this is a folder")
        elif path.exists():
            reason = _("this is a device or a pipe, not a file")
    except (OSError, ValueError) as error:  # a path with NUL in it is a ValueError
        reason = getattr(error, "strerror", None) or type(error).__name__
    raise NOT_OPENED.error(found=reason)
