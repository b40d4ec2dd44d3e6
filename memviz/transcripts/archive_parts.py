"""Conversations that an archive holds in several files of one folder."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import PurePosixPath

from memviz.transcripts.document import Document, Reader
from memviz.transcripts.limits import Limits


def join_parts(
    files: Iterable[tuple[str, bytes]],
    readers: Iterable[Reader],
    given: Reader | None,
    limits: Limits,
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive; those of a folder that are parts of one conversation
    as one list, under the folder's name: the days of a channel,
    ``general/2024-05-01.json``, or the messages of a session, ``s1/message_0.json``.

    ``given`` is the reader that the user named, who need not recognise what it reads.
    """
    joining = [one for one in (*readers, given) if one is not None and one.files]
    folders: dict[tuple[str, str], list[bytes]] = {}
    for name, content in files:
        path = PurePosixPath(name)
        document = Document(content, path.name, limits)
        for reader in joining:
            key = (str(path.parent), reader.files)
            if not fnmatch(path.name, reader.files):
                continue
            is_part = key in folders or reader is given or reader.recognise(document)
            # A part that is broken is told by itself, and the others are read.
            if is_part and document.json.value is not None:
                text = document.text.encode("utf-8", "replace")
                folders.setdefault(key, []).append(_items_of(text))
                break
        else:
            yield name, content
    for (folder, _pattern), contents in folders.items():
        name = "" if folder == "." else folder
        yield name, b"[" + b",".join(filter(None, contents)) + b"]"


def _items_of(content: bytes) -> bytes:
    """Return what stands between the brackets of a JSON list, ``[1, 2]`` -> ``1, 2``; any
    other value as it is."""
    content = content.strip()
    is_list = content.startswith(b"[") and content.endswith(b"]")
    return content[1:-1].strip() if is_list else content
