"""Joins files of an archive that are parts of one conversation, such as one file for each day of a channel.

``loading`` passes the files of every archive through :func:`join_parts`; ``Reader.files`` says which files are parts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import PurePosixPath

from memviz.transcripts.document import Document, Reader
from memviz.transcripts.limits import Limits


def join_parts(
    files: Iterable[tuple[str, bytes]],
    readers: Iterable[Reader],
    mapped_reader: Reader | None,
    limits: Limits,
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive. Parts of one conversation that lie in a folder come as
    one JSON list under the folder's name: the days of a channel, ``general/2024-05-01.json``,
    or the messages of a session, ``s1/message_0.json``. If the archive has a list of people,
    ``users.json``, they come as ``{"messages": [...], "people": [...]}``.

    ``mapped_reader`` is the reader of the user's own mapping, which does not have to
    recognise the files.
    """
    joining = [
        candidate
        for candidate in (*readers, mapped_reader)
        if candidate is not None and candidate.files
    ]
    people_files = {reader.people_file for reader in joining}
    folders: dict[tuple[str, str, str], list[bytes]] = {}
    people = {}
    for name, content in files:
        path = PurePosixPath(name)
        document = Document(content, path.name, limits)
        if path.name in people_files and isinstance(document.json.value, list):
            people[path.name] = (name, document.text.encode("utf-8", "replace"))
            continue
        for reader in joining:
            key = (str(path.parent), reader.files, reader.people_file)
            if not fnmatch(path.name, reader.files):
                continue
            is_part = (
                key in folders or reader is mapped_reader or reader.recognise(document)
            )
            # A broken part is yielded on its own, for its error; the others are joined.
            if is_part and document.json.value is not None:
                text = document.text.encode("utf-8", "replace")
                folders.setdefault(key, []).append(_strip_brackets(text))
                break
        else:
            yield name, content
    yield from _join_folders(folders, people)


def _join_folders(
    folders: Mapping[tuple[str, str, str], Sequence[bytes]],
    people: Mapping[str, tuple[str, bytes]],
) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of each folder as one file, and unchanged those lists of ``people``
    that belong to no folder."""
    for (folder, _pattern, people_file), contents in folders.items():
        joined = b"[" + b",".join(filter(None, contents)) + b"]"
        if people_file in people:
            listed = people[people_file][1]
            joined = b'{"messages": %b, "people": %b}' % (joined, listed)
        yield "" if folder == "." else folder, joined
    used = {people_file for _folder, _pattern, people_file in folders}
    for file_name, name_and_content in people.items():
        if file_name not in used:
            yield name_and_content


def _strip_brackets(content: bytes) -> bytes:
    """Return the inside of a JSON list, ``[1, 2]`` -> ``1, 2``; any other value as it is."""
    content = content.strip()
    is_list = content.startswith(b"[") and content.endswith(b"]")
    return content[1:-1].strip() if is_list else content
