"""Bytes that were packed with Zstandard, which Python itself reads from 3.14 on."""


def inflate_zstandard(packed: bytes, most_bytes: int) -> bytes:
    """Return the first ``most_bytes`` of what was packed, all where there are fewer.
    Raises OSError where it is broken or has no end."""
    import pyarrow as pa  # it takes a moment, and hardly anybody packs so

    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        return bytes(stream.read(most_bytes))
