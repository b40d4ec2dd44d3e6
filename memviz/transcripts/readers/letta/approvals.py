"""What users of Letta decided about calls that needed their approval.

An answer to such a request can hold the result already, because the user's own program ran the tool. The message of
the tool that follows repeats it, so an answer only counts as a result where no such message comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.readers.json_access import first_text, id_text, objects_at
from memviz.transcripts.readers.letta.parts import returned_text

APPROVAL = "approval"
"""Key in the ``meta`` of a result: what the user said about the call, where the result itself does not say it."""


class Decision(NamedTuple):
    """The user's answer for the call with this ``id``.

    ``said`` is the user's text: a reason, or a result. ``result`` is the text of the result where no message of the
    tool follows; ``None`` if there has to be one, because the call was allowed.
    """

    id: str
    said: str
    result: str | None

    def beside(self, text: str) -> dict[str, str]:
        """The ``meta`` of the tool's own message with this text."""
        return {} if self.said in text else {APPROVAL: self.said}


def decisions_of(item: Mapping[str, Any], asked: str) -> list[Decision]:
    """The decisions that an answer holds. Older files have one, which does not name its call: that is ``asked``."""
    answers = objects_at(item, "approvals")
    if not answers and isinstance(item.get("approve"), bool):
        answers = [
            {
                "approve": item["approve"],
                "reason": item.get("denial_reason"),
                "tool_call_id": asked,
            }
        ]
    return [_decision(answer) for answer in answers]


def _decision(answer: Mapping[str, Any]) -> Decision:
    id, result = id_text(answer.get("tool_call_id")), returned_text(answer)
    if result is not None:
        return Decision(id, result, result)
    reason = first_text(answer, "reason")
    return Decision(
        id,
        reason,
        None if answer.get("approve") is not False else stand_in("denied", reason),
    )
