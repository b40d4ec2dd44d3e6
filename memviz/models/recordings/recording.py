"""A recording as values: requests with the replies that a model gave, the settings that
the replies suffice for, and sentences on the replies that are missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from memviz.core.errors import MemvizError
from memviz.core.messages import Message
from memviz.core.text.wording import counted, listed, plural
from memviz.models.base import ModelRequest, Reply, hashed_json, sum_if_known
from memviz.strategies import strategies, strategy
from memviz.strategies.base import Strategy

MARK_CHARS = 12
"""The characters of a hash that make a mark: enough to tell the replies of one file apart."""
NUMBERS_SHOWN = 5
"""Replies that a sentence names by their numbers; of more it says how many."""


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """One request and the reply to it. ``reply.recorded_seconds`` is ``None`` where nobody measured it, as are usage
    and cost of the reply; ``at`` is the time of the reply as ISO text, empty where it is not known."""

    request: ModelRequest
    reply: Reply
    at: str = ""

    @property
    def mark(self) -> str:
        """A short hash of both, by which a setting names a reply that it needs."""
        return _mark(self.request.digest, self.reply)


@dataclass(frozen=True, slots=True)
class RecordedSetting:
    """A run whose summaries a recording holds, all of them: what has to be the same for the recording to play it."""

    conversation: str
    """The :func:`conversation_digest` of all that was replayed."""
    strategy: Mapping[str, Any]
    """The id and the parameters, among them the prompt of the summaries."""
    counter: str
    recalls: Sequence[Any] = ()
    """The recalls, each with the turn that it goes into."""
    answers: bool = False
    """True if the answers to the conversation's questions are recorded, too."""
    needs: tuple[str, ...] = ()
    """The marks of the replies that the summaries take, in order; empty where the file does not say it, which then
    cannot be checked."""
    answers_need: tuple[str, ...] = ()
    """The marks of the replies that the answers take, in order; empty in the same case."""

    @property
    def digest(self) -> str:
        """A hash of what has to be the same; the answers do not belong to it. A parameter at its default may be named
        or not: one that came later says nothing of a recording that was made before."""
        strategy = _without_defaults(self.strategy)
        recalls = list(self.recalls)
        return hashed_json([self.conversation, strategy, self.counter, recalls])

    def to_dict(self) -> dict[str, Any]:
        """The setting as JSON."""
        return {
            "conversation": self.conversation,
            "strategy": dict(self.strategy),
            "counter": self.counter,
            "recalls": list(self.recalls),
            "answers": self.answers,
            "replies": list(self.needs),
            "answer_replies": list(self.answers_need),
        }


class Hole(NamedTuple):
    """The replies of one setting that a file names and lacks, or holds changed."""

    setting: RecordedSetting
    summaries: tuple[int, ...]
    """The numbers of the lacking summaries, counted from 1."""
    answers: tuple[int, ...]
    """The numbers of the lacking answers, counted from 1."""


@dataclass(frozen=True, slots=True)
class About:
    """A recording's description of itself. No key, address or header is ever in it."""

    title: str = ""
    """The title of the conversation."""
    model: str = ""
    """The model that was recorded."""
    made_on: str = ""
    """The day on which the recording was begun, as an ISO date."""
    note: str = ""
    """How the recording was made."""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The parameters of the model."""
    only_by_name: bool = False
    """Played only if somebody chooses it, never because it fits a conversation."""

    def to_dict(self) -> dict[str, Any]:
        """The description as JSON."""
        fields: dict[str, Any] = {
            "title": self.title,
            "model": self.model,
            "made_on": self.made_on,
            "parameters": dict(self.parameters),
            "note": self.note,
        }
        if self.only_by_name:
            fields["only_by_name"] = True
        return fields


@dataclass(frozen=True)
class Recording:
    """The replies that a model gave once, ready to be played back."""

    name: str
    about: About
    replies: Mapping[str, RecordedReply] = field(repr=False)
    """By the digest of their requests, in the order in which they were given."""
    settings: Mapping[str, RecordedSetting] = field(default_factory=dict, repr=False)
    """The settings of which no reply is missing, by their digest."""
    holes: tuple[Hole, ...] = field(default=(), repr=False)
    """The other settings that the file names."""
    is_cut: bool = False
    """The file ends in the middle of a line, so that more may have followed."""

    @classmethod
    def of(
        cls,
        name: str,
        about: About,
        replies: Iterable[RecordedReply],
        settings: Iterable[RecordedSetting] = (),
    ) -> Recording:
        """A recording of these. Of two replies to the same request the first counts: it was played to what followed.
        Each setting is held to the marks of the replies that it needs."""
        by_request: dict[str, RecordedReply] = {}
        for reply in replies:
            by_request.setdefault(reply.request.digest, reply)
        marks = {_mark(digest, entry.reply) for digest, entry in by_request.items()}
        playable: dict[str, RecordedSetting] = {}
        holes: dict[str, Hole] = {}
        for setting in settings:
            hole = Hole(
                setting,
                _list_missing(setting.needs, marks),
                _list_missing(setting.answers_need, marks),
            )
            if hole.summaries or hole.answers:
                holes[setting.digest] = hole
            if hole.summaries:
                continue
            # Without its answers its summaries can be played all the same.
            if hole.answers:
                setting = replace(setting, answers=False, answers_need=())
            if setting.digest not in playable or setting.answers:
                playable[setting.digest] = setting
        open_holes = []
        for digest, hole in holes.items():
            if not _is_filled(hole, playable.get(digest)):
                open_holes.append(hole)
        return cls(name, about, by_request, playable, tuple(open_holes))

    @property
    def models(self) -> tuple[str, ...]:
        """The models that answered, each once."""
        models = [entry.reply.model for entry in self.replies.values()]
        return tuple(dict.fromkeys(filter(None, models)))

    @property
    def seconds(self) -> float | None:
        """The seconds that all replies took together; ``None`` if that of any is not recorded."""
        return sum_if_known(
            entry.reply.recorded_seconds for entry in self.replies.values()
        )

    @property
    def cost_usd(self) -> float | None:
        """The cost of all replies; ``None`` if that of any is not recorded."""
        return sum_if_known(entry.reply.cost_usd for entry in self.replies.values())

    @cached_property
    def digest(self) -> str:
        """A hash of all replies: two recordings with the same one answer alike."""
        replies = []
        for key, entry in self.replies.items():
            calls = [call.to_dict() for call in entry.reply.tool_calls]
            replies.append([key, entry.reply.text, calls])
        return hashed_json(replies)

    def holds(self, setting: RecordedSetting) -> bool:
        """Return whether every summary of this setting is in it."""
        return setting.digest in self.settings

    def strategies_over(self, conversation: str, counter: str) -> list[Strategy]:
        """The strategies whose summaries it holds over exactly the conversation of this digest, without recalls. Those
        of another version that this one does not know are left out."""
        strategies = []
        for setting in self.settings.values():
            if setting.conversation != conversation or setting.counter != counter:
                continue
            if setting.needs and not setting.recalls:
                with suppress(MemvizError):
                    strategies.append(strategy(**setting.strategy))
        return strategies

    def answers(self, setting: RecordedSetting) -> bool:
        """Return whether the answers to the conversation's questions under this setting are in it as well."""
        recorded = self.settings.get(setting.digest)
        return recorded is not None and recorded.answers


def conversation_digest(
    messages: Sequence[Message], system_prompt: str | None, tools: Sequence[str]
) -> str:
    """Return a hash of all of a conversation that a model could be sent: of a longer one the same recording says
    nothing."""
    requests = [message.to_request() for message in messages]
    return hashed_json([requests, system_prompt or "", list(tools)])


def _without_defaults(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return the id of a strategy and its parameters, but for those at their default; all of a strategy that is not
    installed here."""
    changed = dict(setting)
    cls = strategies().get(setting.get("id", ""))
    for parameter in cls.parameters() if cls else ():
        name = parameter.name
        if name in changed and changed[name] == parameter.default:
            del changed[name]
    return changed


def _mark(request_digest: str, reply: Reply) -> str:
    calls = [call.to_dict() for call in reply.tool_calls]
    return hashed_json([request_digest, reply.text, calls])[:MARK_CHARS]


def _is_filled(hole: Hole, playable: RecordedSetting | None) -> bool:
    """Return whether the setting was recorded once more and is whole, whatever a line
    before it lacks."""
    if playable is None:
        return False
    return bool(hole.summaries) or playable.answers


def _list_missing(needed: Sequence[str], marks: set[str]) -> tuple[int, ...]:
    return tuple(number for number, mark in enumerate(needed, 1) if mark not in marks)


def hole_words(hole: Hole) -> str:
    """Return which replies are missing or changed, and what follows, as a sentence.

    Without a summary the setting cannot be played; without an answer it can.
    """
    setting = hole.setting
    name = setting_words(setting.strategy)
    if hole.summaries:
        lacking = _describe_missing(hole.summaries, len(setting.needs), "summary")
        return f"{name} is not played, because {lacking}."
    lacking = _describe_missing(hole.answers, len(setting.answers_need), "answer")
    return f"{name} is played, but {lacking}."


def setting_words(parameters: Mapping[str, Any]) -> str:
    """Return the label of a recorded setting, or its id if this version has no such."""
    values = dict(parameters)
    strategy_id = str(values.pop("id", "a setting"))
    try:
        return strategy(strategy_id, **values).label
    except MemvizError:
        return strategy_id


def _describe_missing(numbers: Sequence[int], total: int, noun: str) -> str:
    """Return the clause that says which replies are lacking, by their numbers.

    [2]              "answer 2 of its 3 answers is missing or changed in the file"
    [1, 2]           "answers 1 and 2 of its 3 answers are missing or changed ..."
    [1, 2, ... 7]    "answers 1, 2, 3, 4 and 5 and 2 more of its 9 answers are ..."
    """
    replies = f"{plural(noun, len(numbers))} "
    replies += listed([f"{number:,}" for number in numbers[:NUMBERS_SHOWN]])
    not_shown = len(numbers) - NUMBERS_SHOWN
    if not_shown > 0:
        replies += f" and {not_shown:,} more"
    verb = "is" if len(numbers) == 1 else "are"
    all_replies = counted(total, noun)
    return f"{replies} of its {all_replies} {verb} missing or changed in the file"
