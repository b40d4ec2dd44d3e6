"""The files that came with a message in Claude.ai's export."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.readers.replies import joined

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".bmp", ".svg"})


def files_of(item: dict[str, Any]) -> list[str]:
    """The files that came with a message: what was read from them, and stand-ins for the others."""
    shown, names = [], set()
    for file in _objects(item.get("attachments")):
        names.add(str(file.get("file_name")))
        text = file.get("extracted_content")
        shown.append(joined([_shown_as(file.get("file_name")), text if isinstance(text, str) else ""]))
    rest = [file for file in _objects(item.get("files")) if str(file.get("file_name")) not in names]
    return [*shown, *(_shown_as(file.get("file_name"), file.get("file_kind")) for file in rest)]


def _shown_as(name: object, kind: object = None) -> str:
    is_image = kind == "image" or (isinstance(name, str) and PurePosixPath(name).suffix.lower() in IMAGES)
    return stand_in("image" if is_image else "file", name)


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
