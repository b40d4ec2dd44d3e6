"""A recording as values: requests with the replies that a model gave, and the settings that they suffice for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from memviz.conversation import Message
from memviz.models.base import Reply, ToolChoice
from memviz.models.tools import Tool


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """All that a model was sent. Two are the same if their :attr:`digest` is."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"

    @property
    def digest(self) -> str:
        """A hash of what is sent; what goes with a message and is not sent has no part in it."""
        sent = [[one.to_request() for one in self.messages], [one.to_request() for one in self.tools]]
        # Without tools there is nothing to choose, whatever the caller says of it.
        return _hashed([*sent, self.tool_choice if self.tools else "auto"])


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """One request and the reply to it. ``reply.recorded_seconds`` is ``None`` where nobody measured it, as are usage
    and cost of the reply; ``at`` is the time of the reply as ISO text, empty where it is not known."""

    request: RecordedRequest
    reply: Reply
    at: str = ""


@dataclass(frozen=True, slots=True)
class RecordedSetting:
    """A run whose summaries a recording holds, all of them: what has to be the same for the recording to play it.

    ``conversation`` is :func:`conversation_digest` of all that was replayed, ``strategy`` the id and the parameters,
    among them the prompt of the summaries, ``recalls`` what was recalled into which turns. With ``answers`` it
    holds the answers to the questions of the conversation under this setting, too.
    """

    conversation: str
    strategy: Mapping[str, Any]
    counter: str
    recalls: Sequence[Any] = ()
    answers: bool = False

    @property
    def digest(self) -> str:
        """A hash of what has to be the same; the answers do not belong to it."""
        return _hashed([self.conversation, dict(self.strategy), self.counter, list(self.recalls)])

    def to_dict(self) -> dict[str, Any]:
        """The setting as JSON."""
        return {
            "conversation": self.conversation,
            "strategy": dict(self.strategy),
            "counter": self.counter,
            "recalls": list(self.recalls),
            "answers": self.answers,
        }


@dataclass(frozen=True, slots=True)
class About:
    """What a recording says of itself: the ``title`` of its conversation, the ``model`` that was recorded with its
    ``parameters``, when it was begun (``made_on``, an ISO date), and how it was made (``note``). No key, no address and
    no header is ever in it."""

    title: str = ""
    model: str = ""
    made_on: str = ""
    note: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def to_dict(self) -> dict[str, Any]:
        """The description as JSON."""
        return {
            "title": self.title,
            "model": self.model,
            "made_on": self.made_on,
            "parameters": dict(self.parameters),
            "note": self.note,
        }


@dataclass(frozen=True)
class Recording:
    """Replies by the digest of their requests, in the order in which they were given. ``is_cut``: the file ends in the
    middle of a line, so that more may have followed."""

    name: str
    about: About
    replies: Mapping[str, RecordedReply] = field(repr=False)
    settings: Mapping[str, RecordedSetting] = field(default_factory=dict, repr=False)
    is_cut: bool = False

    @classmethod
    def of(
        cls, name: str, about: About, replies: Iterable[RecordedReply], settings: Iterable[RecordedSetting] = ()
    ) -> Recording:
        """A recording of these. Of two replies to the same request the first counts: it was played to what followed."""
        by_request: dict[str, RecordedReply] = {}
        for reply in replies:
            by_request.setdefault(reply.request.digest, reply)
        made_for: dict[str, RecordedSetting] = {}
        for setting in settings:
            known = made_for.get(setting.digest)
            if known is None or setting.answers:
                made_for[setting.digest] = setting
        return cls(name, about, by_request, made_for)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that answered, each once."""
        return tuple(dict.fromkeys(one.reply.model for one in self.replies.values() if one.reply.model))

    @property
    def seconds(self) -> float | None:
        """How long all replies took together; ``None`` if that of any is not recorded."""
        known = [one.reply.recorded_seconds for one in self.replies.values()]
        return None if None in known else sum(seconds for seconds in known if seconds is not None)

    @property
    def cost_usd(self) -> float | None:
        """What all replies cost; ``None`` if that of any is not recorded."""
        known = [one.reply.cost_usd for one in self.replies.values()]
        return None if None in known else sum(cost for cost in known if cost is not None)

    @cached_property
    def digest(self) -> str:
        """A hash of all replies: two recordings with the same one answer alike."""
        return _hashed([[key, one.reply.text, [call.to_dict() for call in one.reply.tool_calls]]
                        for key, one in self.replies.items()])  # fmt: skip

    def holds(self, setting: RecordedSetting) -> bool:
        """Whether every summary of this setting is in it."""
        return setting.digest in self.settings

    def answers(self, setting: RecordedSetting) -> bool:
        """Whether the answers to the conversation's questions under this setting are in it as well."""
        known = self.settings.get(setting.digest)
        return known is not None and known.answers


def conversation_digest(messages: Sequence[Message], system_prompt: str | None, tools: Sequence[str] = ()) -> str:
    """A hash of all of a conversation that a model could be sent: of a longer one the same recording says nothing."""
    return _hashed([[one.to_request() for one in messages], system_prompt or "", list(tools)])


def _hashed(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
