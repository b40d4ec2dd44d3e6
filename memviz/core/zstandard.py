"""Bytes that were packed with Zstandard, which Python itself reads from 3.14 on."""

from io import BufferedReader, BytesIO
from typing import IO


def open_zstandard(packed: IO[bytes]) -> IO[bytes]:
    """Return what was packed as a file to read. Reading raises OSError where it is broken or has no end."""
    import pyarrow as pa  # it takes a moment, and hardly anybody packs so

    return BufferedReader(pa.CompressedInputStream(packed, "zstd"))


def inflate_zstandard(packed: bytes, most_bytes: int) -> bytes:
    """Return the first ``most_bytes`` of what was packed, all where there are fewer.
    Raises OSError where it is broken or has no end."""
    with open_zstandard(BytesIO(packed)) as stream:
        return stream.read(most_bytes)
