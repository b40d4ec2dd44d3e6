"""A file that is made whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile


def create_whole(path: Path, content: bytes) -> None:
    """Create a file that its owner alone can read. One that is there is left as it is, and nobody ever sees a part of
    the new one, also where the process is killed. Raises :class:`OSError`."""
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.part-") as part:
        part.write(content)
        part.flush()
        with suppress(FileExistsError):
            os.link(part.name, path)
