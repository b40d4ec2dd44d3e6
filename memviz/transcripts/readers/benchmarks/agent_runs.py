"""Runs of agents in benchmarks: trajectories of SWE-agent, and results of tau-bench in both of its generations."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from memviz.core.translation import Said, noop
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, PlacedValue, Reader
from memviz.transcripts.readers.json_access import (
    first_text,
    id_text,
    list_at,
    object_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import (
    RowReader,
    add_places,
    are_mostly,
    place_inside,
    require_list,
    require_object,
    rows,
)
from memviz.transcripts.readers.role_lists import has_roles, make_chat_item
from memviz.transcripts.times import meta_with_time, moment

OWN_KEYS = frozenset({"trajectory", "environment", "replay_config"})
OWN_MESSAGE_KEYS = frozenset({"agent", "message_type", "thought", "is_demo"})
IS_DEMO = "is_demo"
DEMONSTRATED = "{} of the messages {} a demonstration that the agent was shown first."
UNSEEN = noop("what came of the last action, which the model never saw, was left out")
RETRIED = noop(
    "replies that were asked for again, and are not in the history, were left out: {replies}"
)
# The customer of the second generation has a phone or a computer of its own, which the agent does not see.
CUSTOMERS = noop(
    "tool calls of the model that plays the customer and their results, which the agent never sees, "
    "were left out"
)


class SweAgent(RowReader):
    """An object with ``history`` beside ``trajectory``, several of them, or several attempts in one."""

    name = "swe_agent"
    title = noop("SWE-agent trajectory")
    expected = noop("an object with a list called history")

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether a row has a history of messages that are SWE-agent's own by what is beside or in them."""
        return any(map(_is_trajectory, _find_attempts(row)))

    def conversations(self, document: Document) -> Sequence[PlacedValue]:
        """One conversation for each trajectory; for each attempt, if no attempt was chosen."""
        runs = []
        for record, place in super().conversations(document):
            for number, run in enumerate(_find_attempts(record)):
                is_whole = run is record
                where = place if is_whole else place_inside(place, f"attempt {number}")
                runs.append((run, where))
        return runs

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the history in order. Demonstrations are messages of it: they were sent with every request."""
        demos = 0
        history = require_list(row, "history", self.expected, place)
        for item, where in add_places(history):
            is_demo = value_at(item, IS_DEMO) is True
            message = _make_message(item, is_demo) if isinstance(item, dict) else item
            position = builder.add_json(message, where)
            demos += is_demo and position is not None
        _note_unsent(row, builder)
        status = text_at(row, "info", "exit_status")
        sentences = []
        if demos:
            are = "is" if demos == 1 else "are"
            sentences.append(DEMONSTRATED.format(demos, are))
        if status.strip():
            sentences.append(f"It ended with: {status}.")
        return {"description": " ".join(sentences)}


def _find_attempts(record: Any) -> list[Any]:
    attempts = object_at(record).get("attempts")
    if isinstance(attempts, list) and not isinstance(record.get("history"), list):
        return attempts
    return [record]


def _is_trajectory(run: Any) -> bool:
    if not isinstance(run, dict) or not has_roles(run.get("history")):
        return False
    if not OWN_KEYS.isdisjoint(run):
        return True
    messages = objects_at(run, "history")
    return any(not OWN_MESSAGE_KEYS.isdisjoint(item) for item in messages)


def _make_message(item: dict[str, Any], is_demo: bool) -> dict[str, Any]:
    """Return a message. Thought and action are not read: the content holds them as the model wrote them."""
    ids = list_at(item, "tool_call_ids")
    answered = {"tool_call_id": ids[0]} if ids else {}
    meta = {IS_DEMO: True} if is_demo else {}
    return make_chat_item({**answered, **item}, **meta)


def _note_unsent(run: dict[str, Any], builder: TranscriptBuilder) -> None:
    """Say what the steps of a run hold that its history does not."""
    steps = objects_at(run, "trajectory")
    if not builder.messages or not steps:
        return
    all_text = "\n".join(message.content for message in builder.messages)
    if first_text(steps[-1], "observation").strip() not in all_text:
        builder.note(UNSEEN)
    retried = sum(
        first_text(step, "response").strip() not in all_text for step in steps
    )
    if retried:
        builder.note(Said(RETRIED, replies=retried))


class Run(NamedTuple):
    """One try at a task of tau-bench: its record, where that stands, and, of the second generation, what the file says
    of it."""

    record: Any
    place: str
    policy: str | None = None
    task: str = ""
    is_second: bool = False


class TauBench(Reader):
    """Results with ``traj``; or one object with ``simulations`` (tau2-bench)."""

    name = "tau_bench"
    title = noop("tau-bench results")

    def recognise(self, document: Document) -> bool:
        """Records with a list ``traj``, or an object with simulations that have a list of messages."""
        if are_mostly(document, lambda row: isinstance(row.get("traj"), list)):
            return True
        return bool(_find_simulations(document.object))

    def conversations(self, document: Document) -> Sequence[Run]:
        """One conversation for each run."""
        if any(_find_simulations(document.object)):
            return _read_second_generation(document.object)
        records = rows(document, "results with a list called traj")
        return [Run(record, place) for record, place in records]

    def read(self, piece: Run, builder: TranscriptBuilder) -> Transcript:
        """The messages of a run in order."""
        key = "messages" if piece.is_second else "traj"
        record = require_object(piece.record, piece.place)
        expected = f"a result with a list called {key}"
        messages = require_list(record, key, expected, piece.place)
        for message, place in add_places(messages):
            _add(message, place, piece.is_second, builder)
        instruction = first_text(object_at(record, "info", "task"), "instruction")
        return builder.build(
            title=_title(record),
            description=piece.task or instruction,
            system_prompt=piece.policy,
            held_at=moment(record.get("start_time")),
        )


def _add(message: Any, place: str, is_second: bool, builder: TranscriptBuilder) -> None:
    if not isinstance(message, dict):
        builder.add_json(message, place)
    elif not is_second:
        builder.add_json(make_chat_item(message), place)
    elif isinstance(message.get("tool_messages"), list):
        # Results of parallel calls are kept in one record.
        for result in message["tool_messages"]:
            if isinstance(result, dict):
                result = {**result, "role": "tool"}
            _add(result, place, True, builder)
    else:
        _add_second(message, place, builder)


def _add_second(
    message: dict[str, Any], place: str, builder: TranscriptBuilder
) -> None:
    role = message.get("role")
    item = dict(message)
    if role == "tool":
        item.setdefault("tool_call_id", message.get("id"))
    if message.get("is_audio") is True:
        item["content"] = first_text(message, "audio_script_gold") or "[audio]"
    calls_own = role == "user" and message.get("tool_calls")
    if calls_own or (role == "tool" and message.get("requestor") == "user"):
        builder.note(CUSTOMERS, place)
        if role == "tool" or not first_text(message, "content"):
            return
        item["tool_calls"] = None
    builder.add_json(
        make_chat_item(item, **meta_with_time(message.get("timestamp"))), place
    )


def _find_simulations(record: dict[str, Any]) -> list[Any]:
    """Return the simulations with messages of a tau2-bench file, with everything that stands between them."""
    simulations = objects_at(record, "simulations")
    has_messages = any(isinstance(item.get("messages"), list) for item in simulations)
    return list_at(record, "simulations") if has_messages else []


def _read_second_generation(results: dict[str, Any]) -> list[Run]:
    policy = first_text(object_at(results, "info", "environment_info"), "policy")
    purposes = {
        str(task.get("id")): first_text(object_at(task, "description"), "purpose")
        for task in objects_at(results, "tasks")
    }
    runs = []
    for index, run in enumerate(_find_simulations(results)):
        purpose = purposes.get(str(object_at(run).get("task_id")), "")
        place = f"simulation {index}"
        runs.append(Run(run, place, policy or None, purpose, is_second=True))
    return runs


def _title(record: dict[str, Any]) -> str:
    task = id_text(record.get("task_id"))
    trial = id_text(record.get("trial"))
    if not task.strip():
        return UNTITLED
    return f"Task {task}, trial {trial}" if trial.strip() else f"Task {task}"
