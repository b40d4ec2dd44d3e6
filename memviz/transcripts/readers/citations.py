"""The sources that a reply cites, which are kept beside it."""

from typing import Any

from memviz.transcripts.chat_messages import Note, meta_of_unknown_fields
from memviz.transcripts.readers.json_access import as_list, items_in


def meta_of_citations(content: object, note: Note) -> dict[str, Any]:
    """Return the ``meta`` that keeps the sources which the blocks of a reply cite: ``{"citations": [...]}`` for
    ``[{"text": "So", "citations": [...]}]``, and for ``[{"citationsContent": {"citations": [...]}}]`` as Bedrock writes
    it. It is empty where they cite none."""
    blocks = as_list(content)
    citations = items_in(blocks, "citations")
    of_bedrock = items_in(blocks, "citationsContent", "citations")
    return meta_of_unknown_fields({"citations": citations + of_bedrock}, note)
