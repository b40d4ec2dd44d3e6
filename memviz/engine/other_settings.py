"""The conversation of a chat under another strategy: replayed under it, or gone on with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memviz.core.counters import AnyCounter, Counter
from memviz.core.counters import counter as find_counter
from memviz.engine.planned_recalls import RequestKey
from memviz.engine.recall import Recall, Recalled
from memviz.engine.recalling import Recalling
from memviz.engine.replay import begin_replay, expect_turn
from memviz.engine.requests import Requests
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.engine.setting import Setting
from memviz.engine.switching import switched, was_asked
from memviz.models.base import Model
from memviz.strategies import as_strategy
from memviz.strategies.base import Strategy


class OtherSettings(Recalling):
    """The conversation of a session, which can be replayed under another strategy, or go on under one."""

    def change_strategy(
        self, strategy: Strategy, counter: str | Counter | None = None
    ) -> None:
        """Go on under another strategy, and another counter if one is given. What it remembers by now is derived from
        the log, from the first message on; or, where it was in force before, from where it was left.

        Requests, compactions and summaries on record stay as they were, with the setting that they were made under
        (``run.earlier_settings``); another counter counts them anew. Only where no model was asked yet, as in a
        conversation that was held elsewhere, they are those of the new setting.
        """
        session, turns = self.begun_under(strategy, counter)
        for _turn in turns:
            pass
        self.adopt(session.run())

    def begun_under(
        self,
        strategy: Strategy,
        counter: str | Counter | None = None,
        summarizer: Model | None = None,
    ) -> tuple[Session, Iterator[int]]:
        """The first half of :meth:`change_strategy`, over a copy of the log, to be gone through turn by turn as in
        :func:`memviz.engine.replay.begin_replay`. The chat stays as it is until it is given the run, by :meth:`adopt`.
        ``summarizer`` writes the summaries in place of the chat's own."""
        setting = self._setting_under(strategy, counter)
        if summarizer is not None:
            setting = replace(setting, summarizer=summarizer)
        run = self._session.run()
        if was_asked(run):
            return switched(run, setting)
        return begin_replay(
            self.log.prefix(len(self.log)), setting, self._recalls_under(strategy)
        )

    def adopt(self, run: Run) -> None:
        """Go on under the strategy and the counter of ``run``, which :meth:`begun_under` gave."""
        old = self._session
        new = Session.resume(
            self._with_authors(run),
            old.summarizer,
            repair_tool_pairs=old.setting.repair_tool_pairs,
        )
        new.review = old.review
        self._session = new

    def replay_with(self, strategy: Strategy) -> Run:
        """The run of another strategy over the very same conversation."""
        setting = self._setting_under(strategy)
        expect_turn(self.log)
        session, turns = begin_replay(self.log, setting, self._recalls_under(strategy))
        for _turn in turns:
            pass
        return self._with_authors(session.run())

    def _setting_under(
        self, strategy: Strategy, counter: AnyCounter | None = None
    ) -> Setting:
        """The setting that the chat is held under, with another strategy."""
        setting = self._session.setting
        counter = find_counter(counter or setting.counter)
        return replace(setting, strategy=as_strategy(strategy), counter=counter)

    def _recalls_under(
        self, strategy: Strategy
    ) -> Mapping[RequestKey, Recall | Sequence[Recall]]:
        """The recalls of each turn, as far as ``strategy`` allows any."""
        if not strategy.allows_recall:
            return {}
        recalled_in = self._recalled_in_turns()
        return {turn: recalled.asked for turn, recalled in recalled_in.items()}

    def _with_authors(self, run: Run) -> Run:
        """``run`` with who asked for each recall: the model or the user."""
        recalled_in = self._recalled_in_turns()
        records = []
        for record in run.requests:
            if record.recalled is not None:
                # The note that no log holds: how many of its recalls the model made.
                in_chat = recalled_in.get(record.turn, Recalled())
                recalled = replace(record.recalled, by_model=in_chat.by_model)
                record = replace(record, recalled=recalled)
            records.append(record)
        return replace(run, requests=Requests.of(records))

    def _recalled_in_turns(self) -> dict[int, Recalled]:
        """The recalls of each turn's last request: within a turn none of them goes again."""
        recalled_in: dict[int, Recalled] = {}
        for record in self._session.requests:
            if record.recalled is not None:
                recalled_in[record.turn] = record.recalled
        return recalled_in
