"""The jobs that pages and terminal share: open the store, import, list, replay and keep runs.

A run that was already made is found again by conversation, setting, counter and summarizer: first in this process, then
in the store. Nothing here knows a page.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from memviz.core.conversation import Log
from memviz.core.counters import counter as find_counter
from memviz.core.fingerprint import fingerprint
from memviz.core.recently_used import RecentlyUsed
from memviz.core.storage_errors import (
    DamagedRunError,
    DatabaseGoneError,
    FullLibraryError,
    StorageError,
)
from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.free_run import FreeRun, answers_messages_of
from memviz.engine.judging import JudgedAnswer
from memviz.engine.planned_recalls import RequestKey, group_by_request
from memviz.engine.recall import Recall
from memviz.engine.recording import RecordedSummaries
from memviz.engine.replay import begin_replay, expect_turn, setting_for
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.models.base import Model
from memviz.models.names import OFFLINE, RECORDING
from memviz.models.recordings.player import RecordedFirst, RecordedModel
from memviz.models.recordings.recording import Recording
from memviz.models.registry import model
from memviz.storage.conversations import Beginning, HeldChats
from memviz.storage.limits import Limits
from memviz.storage.recent_runs import MAX_RUN_RECORDS, recent_runs
from memviz.storage.recording_shelf import RecordingShelf
from memviz.storage.replays_at_work import ReplaysAtWork
from memviz.storage.store import AnyDatabase, Store
from memviz.storage.tables import make_conflict_error
from memviz.strategies.base import Strategy, Trigger
from memviz.transcripts.base import Probe, Transcript
from memviz.transcripts.samples import bundled
from memviz.tuning.cluster import Cluster
from memviz.tuning.cluster_replay import ClusterReplay, ReplayJob, suits_cluster
from memviz.tuning.sweep_conversation import SweepConversation
from memviz.tuning.sweeping import Sweeping

DATABASE_VARIABLE = "MEMVIZ_DB"
"""Environment variable that names the database file."""
DEFAULT_DATABASE = "memviz.db"
_SERVER_ADDRESS = "address"
SAMPLE_PREFIX = "sample-"
FIRST_SAMPLE = SAMPLE_PREFIX + "trip"


@dataclass(frozen=True, slots=True)
class RunKey:
    """The key of a run: ask twice with the same one and nothing is run again.

    ``recalls`` are turn numbers, or the numbers of a turn and one of its calls, with what is injected into the requests
    from there on to the end of the turn. ``model`` answers in a free run; empty in a replay, where replies come from
    the conversation. ``edits`` are texts that take the place of the summary versions of these numbers. ``take`` numbers
    the free runs of the same model under the same setting, from 0. ``first`` is set where only the beginning of the
    conversation is looked at: so many messages at most."""

    conversation_id: str
    strategy: Strategy
    counter: str
    summarizer: str
    recalls: tuple[tuple[RequestKey, Recall], ...] = ()
    model: str = ""
    edits: tuple[tuple[int, str], ...] = ()
    take: int = 0
    first: int | None = None

    def recalls_by_turn(self) -> dict[RequestKey, list[Recall]]:
        """The recalls of each turn, or of each call of one."""
        return group_by_request(self.recalls)

    def digest(self, messages: int) -> str:
        """The key as a hash over that many messages of a conversation, with the version of an offline writer."""
        parts: list[Any] = [
            self.strategy.id,
            self.strategy.model_dump(),
            self.counter,
            self.summarizer,
            messages,
            [[turn, asdict(recall)] for turn, recall in self.recalls],
            self.model,
            self.edits,
            self.take,
        ]
        writers = [self.model]
        if self.strategy.trigger is not Trigger.NEVER:
            writers.append(self.summarizer)
        if OFFLINE in writers:
            from memviz.models.offline import VERSION

            parts.append(VERSION)
        return fingerprint(parts)

    def unedited_digest(self) -> str:
        """The digest that wordings are kept under: that of the replay without them, of any number of messages."""
        return replace(self, edits=()).digest(0)


class Workspace(HeldChats):
    """The conversations and runs of one database. Safe to share between threads."""

    _runs: RecentlyUsed[tuple[RunKey, int], Run]
    replays: ReplaysAtWork[RunKey]

    def __init__(
        self, database: AnyDatabase | None = None, limits: Limits | None = None
    ) -> None:
        named = os.environ.get(DATABASE_VARIABLE) or DEFAULT_DATABASE
        store = Store(database or named)
        samples = {SAMPLE_PREFIX + name: one for name, one in bundled().items()}
        store.add_missing_conversations(samples)
        # From now on: a full library has to open, so that something can be deleted.
        store.limits = limits
        super().__init__(store)
        self.recordings = RecordingShelf(store)

    def _forget(self) -> None:
        super()._forget()
        self._runs = recent_runs(self._share_of(MAX_RUN_RECORDS))
        self.replays = ReplaysAtWork(self.store)

    @property
    def server_address(self) -> str | None:
        """The address of the server that was started last over this library, such as
        "http://127.0.0.1:8501"; ``None`` before the first one."""
        return self.store.kept("server", _SERVER_ADDRESS)

    def keep_server_address(self, address: str) -> None:
        """Keep the address of a server over this library, for the links that others print."""
        self.store.keep("server", _SERVER_ADDRESS, address)

    def reopen(self) -> None:
        """Go on with the file that has taken the place of the one that was open."""
        self.store.reopen()
        self._forget()

    def _conversation_of(self, key: RunKey) -> tuple[Transcript, Log]:
        return self.conversation(key.conversation_id, key.first)

    def kept_run(self, key: RunKey) -> Run | None:
        """The run of this key, if it was made before."""
        _, log = self._conversation_of(key)
        run = self._runs.get((key, len(log)))
        if run is not None and run.log is log:
            return run
        # A damaged one is made again, and the new one takes its place.
        with suppress(DamagedRunError):
            run = self.store.find_run(key.conversation_id, key.digest(len(log)), log)
            return run and self._remember(key, run)
        return None

    def run(
        self,
        key: RunKey,
        summarizer: Model,
        progress: Callable[[int, int], object] | None = None,
    ) -> Run:
        """The run of this key, made now if it was not made before. ``progress`` gets turns done and in all."""
        kept = self.kept_run(key)
        if kept is not None:
            return kept
        session, turns = self.begun(key, summarizer)
        for turn in turns:
            if progress is not None:
                progress(turn, session.log.turn_count)
        return self.keep(key, session.run())

    def open_recording(self, content: bytes, file_name: str) -> Recording:
        """Take a recording from a file. Raises :class:`memviz.core.model_errors.RecordingError`."""
        recording = self.recordings.open(content, file_name)
        self._forget_recorded(recording.name)
        return recording

    def remove_recording(self, name: str) -> None:
        """Forget a recording that was opened, and the runs that it played."""
        self.recordings.remove(name)
        self._forget_recorded(name)

    def _forget_recorded(self, name: str) -> None:
        played = RECORDING + name
        self._runs.remove_where_key(lambda kept: kept[0].summarizer == played)
        self.replays.forget(lambda key: key.summarizer == played)

    def recorded_for(self, key: RunKey) -> str:
        """The name of the free model that summarizes best for this key: of the recording that was made for exactly it,
        else of the offline one."""
        transcript, log = self._conversation_of(key)
        return self.recordings.summarizer_for(
            transcript, log, key.strategy, key.counter, key.recalls
        )

    def free_summarizer(self, key: RunKey, *, paced: bool = False) -> Model:
        """The free model that ``key`` names. After a wording of the visitor's own a recording does not go on, for later
        prompts hold that wording: there the offline model takes over. Raises RecordingError for one that is gone."""
        player = self.recordings.player(key.summarizer, paced=paced)
        if key.edits and isinstance(player, RecordedModel):
            return RecordedFirst([player.recording], model(OFFLINE))
        return player

    def replaying(
        self,
        key: RunKey,
        summarizer: Model,
        *,
        with_failed: bool = False,
        cluster: Cluster | None = None,
    ) -> BackgroundReplay:
        """Return the replay of this key, which was not made before: the one that is at work, ``with_failed`` the one
        that failed a short while ago, or a new one, which a ``cluster`` makes where that saves work here. Everybody who
        asks for it gets the same, and its run is kept when it is over. Raises :class:`memviz.core.errors.BusyError`
        where as many are at work as the library may have."""
        _, log = self._conversation_of(key)
        replay = self.replays.find(key, log, with_failed=with_failed)
        if replay is None:
            self.replays.expect_room()
            keep = partial(self.keep, key)
            session, turns = self.begun(key, summarizer)
            elsewhere = None
            if cluster is not None and suits_cluster(log, session.setting):
                job = ReplayJob(log, session.setting, key.recalls_by_turn())
                elsewhere = ClusterReplay(cluster, job)
            replay = BackgroundReplay(session, turns, keep, elsewhere=elsewhere)
            self.replays.note(key, log, replay)
        return replay

    def begun(
        self, key: RunKey, summarizer: Model, so_far: Run | None = None
    ) -> tuple[Session, Iterator[int]]:
        """The replay of this key, to go through turn by turn and to :meth:`keep`. Summaries that an earlier attempt,
        ``so_far``, has are not asked for a second time."""
        transcript, log = self._conversation_of(key)
        if so_far is None and key.edits:
            so_far = self.kept_run(replace(key, edits=()))
        if so_far is not None:
            summarizer = RecordedSummaries(so_far, summarizer)
        expect_turn(log)
        setting = setting_for(
            transcript,
            key.strategy,
            model=summarizer,
            counter=key.counter,
            edits=dict(key.edits),
        )
        return begin_replay(log, setting, key.recalls_by_turn())

    def keep(self, key: RunKey, run: Run) -> Run:
        """Keep the run of this key, unless a call of its summarizer failed: it may work next time, with another key or
        address, which a run's key does not hold."""
        if any(compaction.error for compaction in run.compactions):
            return run
        # A replay without summaries, or with recorded ones, is made again sooner than it is written and read.
        is_recorded = any(compaction.recorded for compaction in run.compactions)
        if run.compactions and not is_recorded:
            digest = key.digest(len(run.log))
            # Of a database that is gone the page says so; the run is worth looking at nevertheless.
            with suppress(DatabaseGoneError, FullLibraryError):
                self.store.save_run(key.conversation_id, run, digest, key.summarizer)
        return self._remember(key, run)

    def wordings(self, key: RunKey) -> dict[int, str]:
        """The visitors' own wordings of summaries in the replay of ``key``, by version; none where they cannot be
        read."""
        with suppress(StorageError):
            # Of the whole conversation at once: a page asks for the replays of dozens of values.
            kept = self.store.find_wordings(key.conversation_id)
            return dict(kept.get(key.unedited_digest(), {})) if kept else {}
        return {}

    def keep_wording(self, key: RunKey, version: int, text: str | None) -> None:
        """Keep a visitor's wording of a version in the replay of ``key``; ``None`` takes it back."""
        if text is None:
            self.store.remove_wording(
                key.conversation_id, key.unedited_digest(), version
            )
        else:
            self.store.keep_wording(
                key.conversation_id, key.unedited_digest(), version, text
            )

    def judged_answers(
        self, conversation_id: str, key: str
    ) -> tuple[JudgedAnswer, ...]:
        """The answers to questions on a conversation that were kept under ``key``; none where they cannot be read."""
        with suppress(StorageError):
            return tuple(self.store.find_judged_answers(conversation_id, key))
        return ()

    def keep_judged_answers(
        self,
        conversation_id: str,
        key: str,
        probes: Sequence[Probe],
        answers: Sequence[JudgedAnswer],
    ) -> None:
        """Keep answers to ``probes`` under ``key``. Where the conversation was deleted meanwhile, or its database is
        gone, they are not kept: whoever asked has them in his session."""
        by_number: dict[int, list[JudgedAnswer]] = {}
        for number, probe in enumerate(probes):
            by_number[number] = [answer for answer in answers if answer.probe == probe]
        with suppress(StorageError):
            self.store.keep_judged_answers(conversation_id, key, by_number)

    def let_go(self, conversation_id: str | None) -> bool:
        """Keep a large conversation and its runs no longer in this process: nobody looks at it for now. Returns whether
        there was anything to let go."""
        if conversation_id not in self.large_conversations():
            return False
        self._forget_conversation(conversation_id)
        self._chats.remove(conversation_id)
        self._runs.remove_where_key(
            lambda key: key[0].conversation_id == conversation_id
        )
        for replay in self.replays.forget(
            lambda key: key.conversation_id == conversation_id
        ):
            replay.cancel()
        return True

    def sweeping(
        self,
        conversation_ids: Sequence[str],
        settings: Sequence[Strategy],
        *,
        counter: str,
        first: Mapping[str, int | None] | None = None,
        **options: Any,
    ) -> Sweeping:
        """A sweep over saved conversations, or the ``first`` messages of each, that keeps finished cells in the store.
        ``options`` are fields of :class:`memviz.tuning.sweeping.Sweeping`. Token counts are those that pages share."""
        # Of a database that is gone the page says so; a sweep can be looked at nevertheless.
        with suppress(DatabaseGoneError):
            self.store.prune_cells()
        count = find_counter(counter)
        firsts = first or {}
        subjects: list[SweepConversation] = []
        for id in conversation_ids:
            transcript, log = self.conversation(id, firsts.get(id))
            subjects.append(SweepConversation.of(transcript, count, log))
        return Sweeping(
            tuple(subjects), tuple(settings), counter=count, kept=self.store, **options
        )

    def kept_free_run(self, key: RunKey) -> Run | None:
        """The free run of this key as far as it has come, if it was begun before and the users' messages
        that it answers are still the same."""
        _, log = self._conversation_of(key)
        run = self._runs.get((key, len(log)))
        if run is not None and answers_messages_of(run, log):
            return run
        with suppress(DamagedRunError):  # it is begun again
            run = self.store.find_free_run(key.conversation_id, key.digest(len(log)))
            if run is not None and answers_messages_of(run, log):
                return self._remember(key, run, len(log))
        return None

    def free_run(self, key: RunKey, answerer: Model, summarizer: Model) -> FreeRun:
        """The free run of this key, to go on with from where it was left."""
        transcript, log = self._conversation_of(key)
        return FreeRun(
            log,
            key.strategy,
            model=answerer,
            summarizer=summarizer,
            counter=key.counter,
            system_prompt=transcript.system_prompt,
            recalls=key.recalls_by_turn(),
            so_far=self.kept_free_run(key),
        )

    def keep_free_run(self, key: RunKey, run: Run) -> None:
        """Keep a free run as far as it has come. Raises StorageError where the conversation was changed meanwhile."""
        _, log = self._conversation_of(key)
        if not answers_messages_of(run, log):
            raise make_conflict_error()
        self.store.save_free_run(
            key.conversation_id, run, key.digest(len(log)), len(log)
        )
        self._remember(key, run, len(log))

    def _remember(self, key: RunKey, run: Run, messages: int | None = None) -> Run:
        if messages is None:
            kept = self._conversations.get(Beginning(key.conversation_id, key.first))
            # Its conversation was let go or changed meanwhile, and would be kept a second time with it.
            if kept is None or kept.log is not run.log:
                return run
            messages = len(run.log)
        return self._runs.put((key, messages), run)
