"""The study of a browser session: a conversation under up to six settings, the same on Compare and Facts."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

import streamlit as st

from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.errors import MemvizError
from memviz.dashboard.lessons.study import (
    HELD_CHAT,
    MAX_SETTINGS,
    Highlight,
    RecalledTurns,
    Study,
    View,
)
from memviz.dashboard.ui.controls.prompts_tried import PromptsToTry, TriedPrompts
from memviz.dashboard.ui.controls.setting import Setting, first_settings
from memviz.dashboard.ui.shell.presence import conversation_shown
from memviz.dashboard.ui.shell.state import of_session
from memviz.engine.recall import Recall
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.storage.workspace import SAMPLE_PREFIX, RunKey
from memviz.strategies.base import Strategy

FIRST_MESSAGES = 6_000
"""The messages of a longer conversation that pages look at at first: so many are drawn a few seconds after a click, and
more when asked for. More than :data:`memviz.storage.conversations.LARGE_MESSAGES`, so that they are let go again."""

REPLIES_KEY = "compare-replies"
REPLAYED = "replayed"
FREE_RUN = "free-run"
"""The control of the replies that are shown, and what it stands at: those of the conversation, or the settings' own."""


class AddedRecall(NamedTuple):
    """Turns injected into the request of ``turn``: for the setting ``uid``, or ``None`` for all."""

    turn: int
    turns: tuple[int, ...]
    uid: int | str | None = None


class Attempt(NamedTuple):
    """A replay that did not come to a good end."""

    made_with: Hashable
    """The summarizer with its key and address, which stay in this session."""
    run: Run
    """The run, as far as the attempt came."""
    error: MemvizError | None = None
    """The error that ended the attempt; ``None`` where the visitor did, or where it came to its end with calls that
    failed."""


@dataclass
class CompareState:
    """The study of a browser session."""

    conversation_id: str | None = None
    settings: list[Setting] = field(default_factory=first_settings)
    counter: str = DEFAULT_COUNTER
    recalls: list[AddedRecall] = field(default_factory=list)
    recall_error: MemvizError | None = None
    free_run: bool = False
    """A model answers under each of the settings."""
    take: int = 0
    """The one of the free runs with the same model that is shown."""
    answer_again: bool = False
    """One more free run was asked for."""
    question: str = ""
    answers: dict[Run, TurnRecord | MemvizError] = field(default_factory=dict)
    """Answers to the question asked last."""
    answers_before: dict[Run, TurnRecord] = field(default_factory=dict)
    """Answers that a turn was brought back for."""
    asked_with: Hashable = None
    """The models that the question was asked."""
    suggested: tuple[Hashable, list[str]] = (None, [])
    """Questions on offer, behind the facts that they were chosen from."""
    edits: dict[RunKey, dict[int, str]] = field(default_factory=dict)
    attempts: dict[RunKey, Attempt] = field(default_factory=dict)
    """Replays with a paid summarizer that failed or were stopped."""
    trials: dict[str, TriedPrompts] = field(default_factory=dict)
    """The results of the prompt lab at each of its places."""
    trying: PromptsToTry | None = None
    """The order that the prompt lab is to work off now."""
    looked_at: int | None = 2
    """The colour index of the setting that is looked at closely."""
    linked_summarizer: str | None = None
    """The writer of the summaries of the link that was opened."""
    firsts: dict[str, int] = field(default_factory=dict)
    """The messages of a long conversation that pages look at, by its id; :data:`ALL_MESSAGES` for all."""
    _next_uid: int = 3

    def open(self, conversation_id: str | None) -> None:
        """Turn to another conversation; recalls and answers were about the one before."""
        self.conversation_id = conversation_id
        self.recalls = []
        self.recall_error = None
        self.answers = {}
        self.answers_before = {}
        self.take = 0
        self.answer_again = False

    def open_one_of(self, conversation_ids: Sequence[str]) -> None:
        """Turn to the first of these conversations, unless one of them is open."""
        if self.conversation_id not in conversation_ids:
            self.open(conversation_ids[0])

    def first_of(self, conversation_id: str) -> int | None:
        """Return the number of messages of a conversation that are looked at, if it has more than that; ``None`` for
        all of them."""
        return self.firsts.get(conversation_id, FIRST_MESSAGES) or None

    @property
    def first(self) -> int | None:
        """The number of messages of the open conversation that pages look at; ``None``: all."""
        return self.first_of(self.conversation_id or "")

    @property
    def _sound_settings(self) -> list[Setting]:
        return [setting for setting in self.settings if setting.is_sound]

    def view(self, turn: int | None = None, call: int | None = None) -> View:
        """Return what is compared, at a request, for an address or a lesson. Settings that are not allowed are left
        out."""
        sound = self._sound_settings
        # An address names settings by their places, a session by ids and colours that never change.
        place_by_uid: dict[int | str | None, int] = {}
        place_by_index: dict[int | None, int] = {MAX_SETTINGS: HELD_CHAT}
        as_written = []
        for place, setting in enumerate(sound):
            place_by_uid[setting.uid] = place
            place_by_index[setting.index] = place
            if setting.as_written:
                as_written.append(place)
        recalls = []
        for into, turns, uid in self.recalls:
            recalls.append(RecalledTurns(into, turns, place_by_uid.get(uid)))
        id = self.conversation_id or ""
        study = Study(
            id.removeprefix(SAMPLE_PREFIX),
            tuple(setting.build() for setting in sound),
            tuple(recalls),
            self.counter,
            first_messages=self.firsts.get(id),
            as_written=tuple(as_written),
            is_free_run=self.free_run,
            take=self.take,
        )
        highlight = Highlight(setting=place_by_index.get(self.looked_at))
        return View(study, "compare", turn=turn, call=call, highlight=highlight)

    def show(self, view: View, *, keep_settings: bool = False) -> None:
        """Compare what a view shows. ``keep_settings``: they are the ones that are compared already."""
        study = view.study
        if not keep_settings:
            self.settings = []
            for place, setting in enumerate(study.settings):
                parameters = setting.model_dump(exclude_unset=True)
                self.add(setting.id, parameters, as_written=place in study.as_written)
        # Before the recalls: to open a conversation forgets those of the one before.
        self.open(study.conversation_id or None)
        if study.first_messages is not None:
            self.firsts[study.conversation_id] = study.first_messages
        sound = self._sound_settings
        for turn, turns, whose in study.recalls:
            uid = None if whose is None else sound[whose].uid
            self.recalls.append(AddedRecall(turn, turns, uid))
        self.counter = study.counter
        self.free_run = study.is_free_run
        self.take = study.take
        self.looked_at = view.highlight.setting
        if self.looked_at == HELD_CHAT:
            self.looked_at = MAX_SETTINGS
        elif self.looked_at is not None:
            self.looked_at = sound[self.looked_at].index

    def setting_at(self, index: int) -> Setting | None:
        """Return the setting of this colour ``index``; ``None`` if there is none, as for a chat as it was held."""
        for setting in self.settings:
            if setting.index == index:
                return setting
        return None

    def recalls_of(self, setting: Setting) -> tuple[tuple[int, Recall], ...]:
        """Return the recalls into the requests of a setting."""
        recalls = []
        for turn, turns, uid in self.recalls:
            # One without a setting is into the requests of all.
            if uid in (None, setting.uid):
                recalls.append((turn, turns))
        # In an order of their own, so that a run is the same in whichever order they were added.
        recalls.sort()
        return tuple((turn, Recall(turns=turns)) for turn, turns in recalls)

    def add_recall(self, recall: AddedRecall) -> None:
        """Add a recall, unless it is there."""
        if recall not in self.recalls:
            self.recalls.append(recall)

    def ended_early(self, run: Run) -> Attempt | None:
        """Return the failed or stopped attempt that left the partial ``run``; ``None`` where the run reached the end of
        the conversation."""
        if run.turns and len(run.requests) < run.log.request_count:
            for attempt in self.attempts.values():
                if attempt.run is run:
                    return attempt
        return None

    def add(
        self,
        strategy_id: str,
        parameters: dict[str, Any] | None = None,
        *,
        as_written: bool = False,
    ) -> None:
        """Add a setting in the first colour that is free."""
        used_indices = {setting.index for setting in self.settings}
        index = min(set(range(MAX_SETTINGS + 1)) - used_indices)
        values = dict(parameters or {})
        setting = Setting(self._next_uid, index, strategy_id, values, as_written)
        self.settings.append(setting)
        self._next_uid += 1

    def compare_with_buffer(self, setting: Strategy) -> None:
        """Compare a setting, which is looked at, with the full buffer, and with nothing else."""
        self.settings = []
        if setting.id != "buffer":
            self.add("buffer")
        self.add(setting.id, setting.model_dump())
        self.looked_at = self.settings[-1].index

    @property
    def settings_made(self) -> int:
        """The number of settings that there ever were."""
        return self._next_uid

    def shows(self, index: int) -> None:
        """Note that the page shows the setting of this colour ``index`` closely. That is what is looked at from now on,
        unless the visitor's choice only waits for its summarizer."""
        if self.looked_at not in {setting.index for setting in self.settings}:
            self.looked_at = index

    @property
    def embedding_models(self) -> list[str]:
        """The names of the embedding models whose vectors the settings compare."""
        names = []
        for setting in self.settings:
            name = setting.parameters.get("embedding_model")
            if name and setting.parameters.get("embedding_percent"):
                names.append(name)
        return names

    def remove(self, uid: int | str) -> None:
        """Take a setting away; the others keep their colours."""
        self.settings = [setting for setting in self.settings if setting.uid != uid]
        self.recalls = [recall for recall in self.recalls if recall.uid != uid]


def compare_state() -> CompareState:
    """Return the state of the study pages."""
    return of_session("compare", CompareState)


def open_in_compare(conversation_id: str, setting: Strategy | None = None) -> NoReturn:
    """Go to Compare, to this conversation, under the settings that are there or a ``setting`` beside the full
    buffer."""
    study = compare_state()
    study.open(conversation_id)
    if setting is not None:
        study.compare_with_buffer(setting)
    st.switch_page("pages/compare.py")


conversation_shown(lambda: compare_state().conversation_id)
