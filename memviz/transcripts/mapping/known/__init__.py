"""The mappings of well-known logs, one YAML file each, found by scanning."""

from collections.abc import Iterator
from importlib.resources import files

from memviz.transcripts.mapping.declaration import FileMapping, read_mapping


def known_mappings() -> Iterator[FileMapping]:
    """Yield the mapping of every file in this folder."""
    for file in sorted(files(__name__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            yield read_mapping(file.read_bytes())
