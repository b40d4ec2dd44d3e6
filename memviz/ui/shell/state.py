"""The only door to ``st.session_state``: typed values of one browser session."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.chat import Chat
from memviz.engine.compaction import Compaction
from memviz.engine.judged_answer import JudgedAnswer
from memviz.engine.prompt_lab import Trial
from memviz.engine.recall import Recall
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.errors import MemvizError, ParameterError
from memviz.lessons.lesson import Language, Lesson, Step, Text
from memviz.models.budget import Budget
from memviz.models.connection_check import ConnectionReport
from memviz.models.recordings.noting import Notes
from memviz.models.spending import Spending
from memviz.storage.entries import ConversationEntry
from memviz.strategies import COMPARED_AT_FIRST, strategy
from memviz.strategies.base import Strategy
from memviz.transcripts.background import BackgroundReading, NamedBytes, Outcome
from memviz.tuning.background import BackgroundSweep
from memviz.tuning.scaling import Scaled
from memviz.workspace import RunKey

T = TypeVar("T")
FIRST_MESSAGES = 20_000
"""Of a longer conversation pages look at so many messages at first, which takes seconds, and at more when asked to."""
MAX_SETTINGS = 6
MESSAGES_SHOWN = 30
"""Messages of a long chat that are drawn at first; earlier ones come on demand."""


@dataclass
class Setting:
    """One strategy setting being edited. ``index`` decides its colour for as long as it lives. One that is
    ``as_written`` shows the summarizer's wording also where the visitor reworded it. ``used`` are the parameters of
    the strategies that it had before, by their id. ``scaled``: how its limits were scaled to the conversation, if they
    were, and ``not_scaled_words`` why they were not where the visitor asked for it. ``refused``: what is wrong with the
    values that stand in its controls and are not used, by the parameter's name."""

    uid: int | str
    index: int
    strategy_id: str
    parameters: dict[str, Any] = field(default_factory=dict)
    as_written: bool = False
    used: dict[str, dict[str, Any]] = field(default_factory=dict)
    scaled: Scaled | None = None
    times_scaled: int = 0
    not_scaled_words: str = ""
    refused: dict[str, ParameterError] = field(default_factory=dict)

    def take(self, values: Mapping[str, Any]) -> None:
        """Use these values of controls. One that is not allowed is refused, and the one before stays."""
        self.refused = {}
        if self._problem(values) is None:
            self.parameters = {**self.parameters, **values}
            return
        for name, value in values.items():
            problem = self._problem({name: value})
            if (
                problem is None or problem.name != name
            ):  # what else is wrong is not its fault
                self.parameters = {**self.parameters, name: value}
            else:
                self.refused[name] = problem

    def _problem(self, values: Mapping[str, Any]) -> ParameterError | None:
        try:
            strategy(self.strategy_id, **{**self.parameters, **values})
        except ParameterError as error:
            return error
        return None

    def turn_to(self, strategy_id: str) -> None:
        """Another strategy, with the parameters that it last had here."""
        self.used[self.strategy_id] = self.parameters
        self.strategy_id, self.parameters = (
            strategy_id,
            dict(self.used.get(strategy_id, {})),
        )
        self.scaled, self.not_scaled_words, self.refused = None, "", {}

    def scale(self, scaled: Scaled | None) -> None:
        """Take over limits that were scaled, or with ``None`` go back to the presets."""
        values = scaled.values if scaled else self.scaled.presets if self.scaled else {}
        self.parameters, self.scaled = {**self.parameters, **values}, scaled
        self.times_scaled += 1

    def build(self) -> Strategy:
        """The strategy. Raises ParameterError."""
        return strategy(self.strategy_id, **self.parameters)


def first_settings() -> list[Setting]:
    """What a newcomer sees side by side."""
    return [
        Setting(number, number, id, {**values})
        for number, (id, values) in enumerate(COMPARED_AT_FIRST)
    ]


class AddedRecall(NamedTuple):
    """Turns injected into the request of ``turn``: for the setting ``uid``, or ``None`` for all."""

    turn: int
    turns: tuple[int, ...]
    uid: int | str | None = None


class Attempt(NamedTuple):
    """A replay that did not come to a good end. ``made_with`` is the summarizer with its key and address, which stay in
    this session; ``run`` is what there is of it, and ``error`` what ended it, ``None`` where the visitor did or where
    it came to its end with calls that failed."""

    made_with: Hashable
    run: Run
    error: MemvizError | None = None


class PromptsToTry(NamedTuple):
    """What the prompt lab was asked for at one of its places: other ``instructions`` for one summarization. ``so_far``
    are the trials of an earlier attempt that need no other one; ``None`` stands for each that does."""

    place: str
    compaction: Compaction
    instructions: tuple[str, ...]
    so_far: tuple[Trial | None, ...] = ()


class TriedPrompts(NamedTuple):
    """What came of the prompts that were ``asked`` for: a trial for each, ``None`` where there is none. ``made_with``
    is the summarizer with its key and address, and ``error`` the failure that ended the attempt, if one did."""

    asked: PromptsToTry
    made_with: Hashable
    trials: tuple[Trial | None, ...]
    error: MemvizError | None = None

    @property
    def written(self) -> tuple[Trial | None, ...]:
        """The trials that gave a summary."""
        return tuple(
            trial if trial is not None and trial.draft.error is None else None
            for trial in self.trials
        )

    @property
    def has_failed(self) -> bool:
        """Whether there is a failure to be said."""
        return self.error is not None or any(
            trial is not None and trial.draft.error for trial in self.trials
        )


@dataclass
class CompareState:
    """What is compared: a conversation under up to six settings. ``free_run``: a model answers under
    each of them. ``answers`` are those to the question asked last, ``answers_before`` the ones that a turn was brought
    back for, ``asked_with`` the models that were asked it, ``trials`` what the prompt lab gave at each of its places,
    ``trying`` what it is to try now. ``attempts`` are replays with a paid summarizer that failed or were stopped,
    ``take`` is which of the free runs with the same model is shown (from 0), ``answer_again`` whether one more was
    asked for, and ``linked_summarizer`` who wrote the summaries of the link that was opened. ``suggested`` are
    questions, behind the facts that they were chosen from. ``firsts`` says of how many messages of a long conversation
    the pages show what became of them (``None``: of all), by the conversation's id."""

    conversation_id: str | None = None
    settings: list[Setting] = field(default_factory=first_settings)
    counter: str = "o200k_base"
    recalls: list[AddedRecall] = field(default_factory=list)
    recall_error: MemvizError | None = None
    free_run: bool = False
    question: str = ""
    answers: list[tuple[Run, TurnRecord | MemvizError]] = field(default_factory=list)
    answers_before: list[tuple[Run, TurnRecord]] = field(default_factory=list)
    asked_with: Hashable = None
    suggested: tuple[Hashable, list[str]] = (None, [])
    edits: dict[RunKey, dict[int, str]] = field(default_factory=dict)
    attempts: dict[RunKey, Attempt] = field(default_factory=dict)
    trials: dict[str, TriedPrompts] = field(default_factory=dict)
    trying: PromptsToTry | None = None
    looked_at: int | None = 2
    linked_summarizer: str | None = None
    take: int = 0
    answer_again: bool = False
    firsts: dict[str, int | None] = field(default_factory=dict)
    _next_uid: int = 3

    def open(self, conversation_id: str | None) -> None:
        """Turn to another conversation; recalls and answers were about the one before."""
        self.conversation_id = conversation_id
        self.recalls, self.recall_error, self.answers, self.answers_before = (
            [],
            None,
            [],
            [],
        )
        self.take, self.answer_again = 0, False

    def first_of(self, conversation_id: str) -> int | None:
        """How many messages of a conversation are looked at, if it has more than that; ``None`` for all of them."""
        return self.firsts.get(conversation_id, FIRST_MESSAGES)

    @property
    def first(self) -> int | None:
        """The same of the conversation that is open."""
        return self.first_of(self.conversation_id or "")

    def recalls_of(self, setting: Setting) -> tuple[tuple[int, Recall], ...]:
        """What is recalled into the requests of a setting."""
        mine = [recall for recall in self.recalls if recall.uid in (None, setting.uid)]
        return tuple(
            (recall.turn, Recall(turns=recall.turns))
            for recall in sorted(mine, key=lambda r: (r.turn, r.turns))
        )

    def ended_early(self, run: Run) -> Attempt | None:
        """The attempt that ``run`` is what there is of, if it did not reach the end of the conversation."""
        if not run.turns or len(run.requests) >= run.log.request_count:
            return None
        return next(
            (attempt for attempt in self.attempts.values() if attempt.run is run), None
        )

    def add(
        self,
        strategy_id: str,
        parameters: dict[str, Any] | None = None,
        *,
        as_written: bool = False,
    ) -> None:
        """Add a setting in the first colour that is free."""
        taken = {setting.index for setting in self.settings}
        index = next(i for i in range(MAX_SETTINGS + 1) if i not in taken)
        self.settings.append(
            Setting(
                self._next_uid, index, strategy_id, dict(parameters or {}), as_written
            )
        )
        self._next_uid += 1

    @property
    def settings_made(self) -> int:
        """How many settings there ever were."""
        return self._next_uid

    def shows(self, index: int) -> None:
        """The page shows the setting of this colour ``index`` closely. That is what is looked at from now on, unless
        the visitor's choice only waits for its summarizer."""
        if self.looked_at not in {setting.index for setting in self.settings}:
            self.looked_at = index

    def remove(self, uid: int | str) -> None:
        """Take a setting away; the others keep their colours."""
        self.settings = [setting for setting in self.settings if setting.uid != uid]
        self.recalls = [recall for recall in self.recalls if recall.uid != uid]


@dataclass
class ChatState:
    """The chat of this browser session.

    ``opened`` counts how often another conversation was opened: widgets that belong to one
    conversation carry it in their key. ``setting`` is the one in force; ``recall_tool`` lets the model
    recall under a strategy that is not made for it, ``kept_ahead`` is what of recalls and pins is stored.

    What the page is to ask a model for in this run: ``going_on``, for the reply that is missing; ``retrying``, for the
    last reply once more; ``draft_with``, for a summary by this instruction (empty: the strategy's own).
    ``deleted``: the conversation was deleted elsewhere; what was said in it is in ``chat``. ``to_send`` are messages
    that were typed there, and begin a new chat. ``missing``: the address named a conversation that is not there.

    ``error`` is what went wrong last, and ``failed_with`` are the models that a reply was asked of in vain.
    ``review`` says whether to ask before each summarization, ``kept_review`` what of that is stored;
    ``write_on_click``: a paid summarizer is not asked by itself for a summary that waited when the chat was left.

    ``deriving`` is the replay that the memory is being derived by, and ``deriving_of`` what it was begun for;
    ``long_asked_for`` is the long conversation whose memory was asked for;
    ``came_from`` is the conversation that was open before this one. ``agreed`` is what a paid summarizer may derive,
    and ``foreseen`` what was asked for with the replay by the offline one that says how much work that is.
    """

    conversation_id: str | None = None
    chat: Chat | None = None
    setting: Setting = field(
        default_factory=lambda: Setting(
            0, 0, "summary_buffer", {"max_token_limit": 500}
        )
    )
    counter: str = "o200k_base"
    system_prompt: str = "You are a helpful assistant."
    shown_messages: int = MESSAGES_SHOWN
    error: MemvizError | None = None
    failed_with: Hashable = None
    opened: int = 0
    retrying: bool = False
    going_on: bool = False
    recall_tool: bool | None = None
    draft_with: str | None = None
    kept_ahead: tuple[tuple[Recall, ...], tuple[Recall, ...]] = ((), ())
    deleted: bool = False
    to_send: tuple[str, ...] = ()
    missing: bool = False
    deriving: BackgroundReplay | None = None
    deriving_of: Hashable = None
    long_asked_for: str | None = None
    came_from: str | None = None
    agreed: Hashable = None
    foreseen: tuple[Hashable, Run | None] = (None, None)
    review: bool = False
    kept_review: bool = False
    write_on_click: bool = False

    def derive(
        self, deriving_of: Hashable = None, deriving: BackgroundReplay | None = None
    ) -> None:
        """Derive the memory by this replay, or by none any more; one that is at work ends."""
        if self.deriving is not None:
            self.deriving.cancel()
        self.deriving_of, self.deriving = deriving_of, deriving

    def open(self, conversation_id: str | None) -> None:
        """Turn to a saved conversation, or to a new one."""
        self.derive()
        if self.chat is not None:
            self.came_from = self.conversation_id
        self.conversation_id, self.chat, self.error = conversation_id, None, None
        self.going_on = self.retrying = self.deleted = False
        self.draft_with, self.write_on_click = None, False
        self.shown_messages = MESSAGES_SHOWN
        self.opened += 1


@dataclass
class Import:
    """What became of a file: why not, what was saved, or (nothing saved yet) a choice that is still to be made.

    ``file`` with the ``format`` that was chosen for it: to be read again once it is said who the user is.
    """

    outcome: Outcome
    file: NamedBytes | None = None
    format: str | None = None
    saved: list[ConversationEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left: bool = False

    def let_go(self) -> None:
        """Keep the conversations that were read no longer: only what is to be said of the file."""
        if self.outcome.loaded is not None:
            self.outcome = replace(
                self.outcome,
                loaded=replace(self.outcome.loaded, transcripts=()),
                tokens=(),
            )


@dataclass
class LibraryState:
    """What was deleted last (id and title), the files that are being read, what became of those read last, the
    conversation that is shown whole, and whether the page was opened before in this session."""

    deleted: tuple[str, str] | None = None
    uploads: int = 0
    reading: BackgroundReading | None = None
    imports: list[Import] = field(default_factory=list)
    shown: str | None = None
    is_opened: bool = False

    def read(self, files: Sequence[NamedBytes], format: str | None) -> None:
        """Begin to read files; what became of those before is no longer shown."""
        self.reading, self.imports = BackgroundReading(files, format), []
        self.uploads += 1  # fresh widgets, so that nothing is imported twice


@dataclass
class TuneState:
    """The tune page: ``asked`` is the sweep that was asked for last, ``work`` what works it off, ``chosen`` the number
    of the setting that is looked at in it, ``budget`` what its summarizer is paid from, ``made_with`` that summarizer
    with its key and address. ``go_on``: one that was stopped was asked to. ``value_keys`` are the controls of the
    values to try, by strategy and parameter; ``swept`` what live models wrote summaries for in this session:
    conversation, setting, counter."""

    conversations: list[str] = field(default_factory=list)
    value_keys: dict[tuple[str, str], str] = field(default_factory=dict)
    swept: dict[tuple[str, Strategy, str], None] = field(default_factory=dict)
    asked: Hashable = None
    work: BackgroundSweep | None = None
    budget: Budget | None = None
    made_with: Hashable = None
    chosen: int | None = None
    go_on: bool = False

    def begin(
        self,
        asked: Hashable,
        work: BackgroundSweep,
        budget: Budget | None = None,
        made_with: Hashable = None,
    ) -> None:
        """Work on another sweep; the one before stops, and what it finished is kept."""
        if self.work is not None:
            self.work.cancel()
        self.asked, self.work, self.budget, self.chosen = asked, work, budget, None
        self.made_with = made_with


@dataclass
class RetentionState:
    """The Facts page: what was wrong with the fact typed in last, and the answers of models that were judged, by
    who was asked what under which settings."""

    probe_error: MemvizError | None = None
    judged: dict[str, tuple[JudgedAnswer, ...]] = field(default_factory=dict)


@dataclass
class OwnLesson:
    """The lesson that is being written: ``steps`` were kept on other pages. ``id`` is that of the saved one that it
    takes the place of, empty for a new one; ``edits`` counts changes of the order, after which controls are new."""

    title: Text = field(default_factory=Text)
    summary: Text = field(default_factory=Text)
    minutes: int | None = None
    steps: list[Step] = field(default_factory=list)
    id: str = ""
    edits: int = 0

    def key(self, name: str) -> str:
        """The key of a control of the lesson as it is ordered now."""
        return f"own-{self.edits}-{name}"

    def take(self, lesson: Lesson, replaces: str = "") -> None:
        """Work on a lesson; saved, it takes the place of the one of the id ``replaces``."""
        self.title, self.summary, self.minutes = (
            lesson.title,
            lesson.summary,
            lesson.minutes,
        )
        self.steps, self.id = list(lesson.steps), replaces
        self.edits += 1

    def move(self, number: int, by: int) -> None:
        """Move a step (0-based) forward or back."""
        to = min(max(0, number + by), len(self.steps) - 1)
        self.steps.insert(to, self.steps.pop(number))
        self.edits += 1

    def remove(self, number: int) -> None:
        """Take a step away."""
        del self.steps[number]
        self.edits += 1


class Answered(NamedTuple):
    """An answer to a question of a lesson: the place of the ``choice``, and whether it ``is_right``."""

    choice: int
    is_right: bool


@dataclass
class LessonsState:
    """The Lessons page: which lesson is played, at which step (0-based) and in which language, which steps were seen
    and which choices were taken (by the lesson's id and the step), what it wrote into its address, what before that and
    when (seconds of a clock that only goes forward), the lesson that was played to its end just now, and the one that
    is being written."""

    playing: str | None = None
    step: int = 0
    language: Language = "en"
    seen: dict[str, set[int]] = field(default_factory=dict)
    answers: dict[tuple[str, int], Answered] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    written_before: dict[str, str] = field(default_factory=dict)
    written_at: float = 0.0
    ended: str | None = None
    uploads: int = 0
    own: OwnLesson = field(default_factory=OwnLesson)

    def begin(self, lesson_id: str, step: int = 0) -> None:
        """Play a lesson from a step on."""
        self.playing, self.step, self.ended = lesson_id, step, None

    def end(self) -> None:
        """The lesson that is played has come to its end."""
        self.playing, self.ended = None, self.playing

    def forget(self, lesson_id: str) -> None:
        """Progress and answers of a lesson that is another one now."""
        self.seen.pop(lesson_id, None)
        self.answers = {
            place: choice
            for place, choice in self.answers.items()
            if place[0] != lesson_id
        }


@dataclass
class LinkedParts:
    """What is open on the page: ``keys`` are the widgets that its link holds, by the names of the link's parts, and
    ``asked`` what an address asked for that no widget has taken yet."""

    keys: dict[str, str] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)


@dataclass
class Presenting:
    """How much of the pages is shown. ``is_on``: they are presented, in large letters of ``letter_pixels``;
    ``is_minimal``: only the picture with its player, as in a frame of another page. ``hidden`` are parts that a link
    took away, by their names. ``asked_steps`` is how many pictures on (or back) the speaker wants to be, and
    ``clicks`` how many that were by which clicker. ``title`` and ``notes`` are those of the picture that is shown,
    ``at`` (0-based) of ``of`` pictures, before the one called ``next_title``. ``unknown`` is what the link wanted to
    hide and is not there, ``taken`` what the address said of all this when it was read last."""

    is_on: bool = False
    is_minimal: bool = False
    hidden: frozenset[str] = frozenset()
    letter_pixels: int = 22
    asked_steps: int = 0
    clicks: tuple[str, int] = ("", 0)
    title: str = ""
    notes: list[str] = field(default_factory=list)
    at: int = 0
    of: int = 0
    next_title: str = ""
    unknown: list[str] = field(default_factory=list)
    taken: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class SpendingShown:
    """Where the page says what was spent: each of ``draw`` writes it at one place, where it has changed. ``is_shown``:
    a model that may cost something was chosen in this session, so it is in sight from then on. ``tests``: what tests of
    connections found, by the control that the model was chosen with."""

    draw: list[Callable[[bool], None]] = field(default_factory=list)
    is_shown: bool = False
    tests: dict[str, Tested] = field(default_factory=dict)


class Tested(NamedTuple):
    """What a test of a connection found: ``made_with`` is the model with its key and address, which stay in this
    session."""

    made_with: Hashable
    found: ConnectionReport


def _of_session(key: str, make: type[T]) -> T:
    if key not in st.session_state:
        st.session_state[key] = make()
    value: T = st.session_state[key]
    return value


def compare_state() -> CompareState:
    """The compare page's state."""
    return _of_session("compare", CompareState)


def chat_state() -> ChatState:
    """The chat page's state."""
    return _of_session("chat", ChatState)


def library_state() -> LibraryState:
    """The library page's state."""
    return _of_session("library", LibraryState)


def lessons_state() -> LessonsState:
    """The state of the Lessons page."""
    return _of_session("lessons", LessonsState)


def tune_state() -> TuneState:
    """The tune page's state."""
    return _of_session("tune", TuneState)


def retention_state() -> RetentionState:
    """The state of the Facts page."""
    return _of_session("retention", RetentionState)


def spending() -> Spending:
    """What this session spends on models, and its budget."""
    return _of_session("spending", Spending)


def noted_replies() -> Notes:
    """What live models have replied in this session, to be saved as a recording."""
    return _of_session("noted-replies", Notes)


def presenting() -> Presenting:
    """How much of the pages is shown."""
    return _of_session("presenting", Presenting)


def spending_shown() -> SpendingShown:
    """Where the page says what was spent."""
    return _of_session("spending-shown", SpendingShown)


def linked_parts() -> LinkedParts:
    """What the link of the page holds."""
    return _of_session("linked", LinkedParts)


def heed_clicks() -> None:
    """End this run of the page if the visitor has clicked something meanwhile, or has left.

    Streamlit only does so where the page draws or, as here, looks into the session's state. Work that waits for
    something else calls this now and then. In a fragment's own run only a click outside of it counts.
    """
    widget_value("looked up for its side effect")


def widget_value(key: str) -> Any:
    """What the widget of this key holds, ``None`` if it is not there."""
    return st.session_state.get(key)


def clicked_point(key: str) -> dict[str, Any] | None:
    """The point of the chart of this key that was clicked, ``None`` if none is selected."""
    event = widget_value(key)
    points = event["selection"]["points"] if event else []
    return points[0] if points else None


def clicked_number(key: str) -> int | None:
    """The number that the clicked point of the chart of this key carries as its customdata."""
    carried = (clicked_point(key) or {}).get("customdata")
    if isinstance(carried, list):
        carried = carried[0] if carried else None
    return None if carried is None else int(carried)


def take_clicked_number(chart_key: str, widget_key: str) -> None:
    """Give a widget the number that was clicked on the chart, if there is one."""
    number = clicked_number(chart_key)
    if number is not None:
        set_widget(widget_key, number)


def set_widget(key: str, value: Any) -> None:
    """Give a widget its value before it is drawn."""
    st.session_state[key] = value


def begin_with(key: str, first: Any) -> None:
    """The value of a widget as long as nobody has chosen one, to be called before it is drawn: in place of a default
    for widgets that code or a link may set as well, of which Streamlit takes only one of the two."""
    if key not in st.session_state:
        st.session_state[key] = first
