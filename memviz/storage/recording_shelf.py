"""The recordings that are at hand: the bundled ones and those that were opened, and which of them plays which run."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from memviz.core import page_titles
from memviz.core.conversation import Log
from memviz.core.model_errors import RecordingError
from memviz.core.recently_used import RecentlyUsed
from memviz.core.translation import _
from memviz.engine.recording import RecalledAt, setting_of
from memviz.models.base import Model
from memviz.models.names import OFFLINE, RECORDING
from memviz.models.recordings import bundled
from memviz.models.recordings.files import read_recording
from memviz.models.recordings.player import RecordedFirst, RecordedModel
from memviz.models.recordings.recording import (
    RecordedSetting,
    Recording,
    conversation_digest,
)
from memviz.models.registry import model
from memviz.storage.store import Store
from memviz.strategies.base import Strategy, Trigger
from memviz.transcripts.base import Transcript

NAME_CHARS = 60
LOGS_KEPT = 16
AS_TEXT = "latin-1"
"""How the bytes of a file are kept as text: a character for each."""


@dataclass(eq=False, repr=False)
class RecordingShelf:
    """Bundled recordings, and those in ``store``. Safe to share between threads."""

    store: Store
    _loading: Lock = field(default_factory=Lock)
    _opened: dict[str, Recording] = field(default_factory=dict)
    _digests: RecentlyUsed[int, tuple[Log, int, str]] = field(
        default_factory=lambda: RecentlyUsed(LOGS_KEPT)
    )

    @property
    def opened(self) -> dict[str, Recording]:
        """Those that were opened, by name, the newest first. One that is damaged is left out."""
        names = self.store.kept_keys("recording")
        with self._loading:
            for name in names:
                if name in self._opened:
                    continue
                text = self.store.kept("recording", name)
                if text is not None:
                    content = text.encode(AS_TEXT)
                    self._opened[name] = read_recording(content, name)
            return {name: self._opened[name] for name in names if name in self._opened}

    @property
    def all(self) -> dict[str, Recording]:
        """All of them by name, the bundled ones first: those are whole."""
        return {**bundled.recordings(), **self.opened}

    @property
    def unasked(self) -> dict[str, Recording]:
        """Those that are played wherever they fit, by name. Others are played where somebody chose them."""
        return {
            name: one for name, one in self.all.items() if not one.about.only_by_name
        }

    @property
    def only_by_name(self) -> list[str]:
        """The names of those that are played only where somebody chose them."""
        return [name for name, one in self.all.items() if one.about.only_by_name]

    def open(self, content: bytes, file_name: str) -> Recording:
        """Take a recording from a file, named after it. Raises :class:`memviz.core.model_errors.RecordingError`."""
        stem = file_name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        printable = "".join(filter(str.isprintable, stem))
        name = " ".join(printable.split())[:NAME_CHARS] or "recording"
        if name in bundled.recordings():
            name = f"{name} (opened)"
        recording = read_recording(content, name)
        if not recording.replies:
            raise RecordingError(
                _(
                    "{file_name} holds no reply: there is nothing to play.",
                    file_name=file_name,
                )
            )
        self.store.keep("recording", name, content.decode(AS_TEXT))
        with self._loading:
            self._opened[name] = recording
        return recording

    def remove(self, name: str) -> None:
        """Forget one that was opened."""
        self.store.forget("recording", name)
        with self._loading:
            self._opened.pop(name, None)

    def summarizer_for(
        self,
        transcript: Transcript,
        log: Log,
        strategy: Strategy,
        counter: str,
        recalls: RecalledAt = (),
    ) -> str:
        """The name of the model that plays every summary of this replay unasked; that of the offline one where no
        recording was made for exactly it."""
        if strategy.trigger is Trigger.NEVER:
            return OFFLINE
        settings = self._same_summaries(transcript, log, strategy, counter, recalls)
        digests = {setting.digest for setting in settings}
        for name, recording in self.unasked.items():
            if digests & recording.settings.keys():
                return RECORDING + name
        return OFFLINE

    def has_any(self, transcript: Transcript, log: Log) -> bool:
        """True if anything was recorded of this conversation."""
        digest = self._digest(transcript, log)
        return any(
            one.conversation == digest
            for recording in self.all.values()
            for one in recording.settings.values()
        )

    def settings_of(
        self, transcript: Transcript, log: Log, counter: str, name: str | None = None
    ) -> list[Strategy]:
        """The strategies whose summaries are recorded over exactly this conversation, without recalls, by any recording
        that plays unasked, or by the one of this ``name``. Those of another version that this one does not know are
        left out."""
        digest = self._digest(transcript, log)
        recordings = self.unasked if name is None else self.all
        strategies: list[Strategy] = []
        for own_name, recording in recordings.items():
            if name in (None, own_name):
                strategies += recording.strategies_over(digest, counter)
        return strategies

    def writers_of(
        self, transcript: Transcript, log: Log, chosen: Strategy, counter: str
    ) -> list[tuple[str, Strategy]]:
        """The names of the models that play ``chosen`` over exactly this conversation, at whatever length they were
        asked for, each with the strategy as it was recorded: by recording, the free length first."""
        digest = self._digest(transcript, log)
        same = _at_any_length(chosen)
        writers = []
        for name, recording in self.all.items():
            recorded = recording.strategies_over(digest, counter)
            for strategy in sorted(recorded, key=summary_words):
                if _at_any_length(strategy) == same:
                    writers.append((RECORDING + name, strategy))
        return writers

    def plays(
        self,
        name: str,
        transcript: Transcript,
        log: Log,
        chosen: Strategy,
        counter: str,
        recalls: RecalledAt = (),
    ) -> bool:
        """True if the recording of this name holds every summary of this replay."""
        key = name.removeprefix(RECORDING)
        # A sweep asks for every setting. None that was opened has a bundled one's name, so most need no database.
        recording = bundled.recordings().get(key) or self.opened.get(key)
        settings = self._same_summaries(transcript, log, chosen, counter, recalls)
        return recording is not None and any(map(recording.holds, settings))

    def _same_summaries(
        self,
        transcript: Transcript,
        log: Log,
        strategy: Strategy,
        counter: str,
        recalls: RecalledAt,
    ) -> list[RecordedSetting]:
        """The settings that a recording may have been made for to play every summary of this replay. What is
        recalled is sent to the chat model, and no summarizer reads it, so one that was made without recalls plays
        the same."""
        with_recalls = (recalls, ()) if recalls else ((),)
        return [
            self.setting(transcript, log, strategy, counter, one)
            for one in with_recalls
        ]

    def setting(
        self,
        transcript: Transcript,
        log: Log,
        strategy: Strategy,
        counter: str,
        recalls: RecalledAt = (),
    ) -> RecordedSetting:
        """The setting that a recording has to be made for to play this replay."""
        return setting_of(
            log,
            strategy,
            counter,
            recalls=recalls,
            digest=self._digest(transcript, log),
        )

    def _digest(self, transcript: Transcript, log: Log) -> str:
        """The digest of a conversation, worked out once as long as it stays the same."""
        kept = self._digests.get(id(log))
        if kept is None or kept[0] is not log or kept[1] != len(log):
            digest = conversation_digest(
                log, transcript.system_prompt, transcript.tools
            )
            kept = self._digests.put(id(log), (log, len(log), digest))
        return kept[2]

    def first(self) -> Model:
        """A model that plays what any recording holds that plays unasked, and is the offline one otherwise: for
        requests that are none of a replay, such as a question."""
        return RecordedFirst(self.unasked.values(), model(OFFLINE))

    def player(self, name: str, *, paced: bool = False) -> Model:
        """The free model of this name: the offline one, or a recording that is at hand,
        with ``paced`` as fast as it was. No path is ever opened: the name may come from
        a link. Raises :class:`memviz.core.model_errors.RecordingError` for one that is not
        there."""
        if name == OFFLINE:
            return model(OFFLINE)
        wanted = name.removeprefix(RECORDING)
        recording = self.all.get(wanted)
        if recording is None:
            raise RecordingError(
                _(
                    "The recording “{wanted}” is not at hand any more. Open its file in the {library}.",
                    wanted=wanted,
                    library=_(page_titles.LIBRARY),
                )
            )
        return RecordedModel(recording, paced=paced)


def summary_words(strategy: Strategy) -> int:
    """The number of words that the summaries of a strategy may have; 0 where no length is asked for."""
    return int(getattr(strategy, "summary_words", 0))


def _at_any_length(strategy: Strategy) -> dict[str, Any]:
    return {"id": strategy.id, **strategy.model_dump(exclude={"summary_words"})}
