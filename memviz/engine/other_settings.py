"""Replays the conversation of a live chat under another strategy, or continues the chat under it.

A base class of :class:`memviz.engine.chat.Chat`. The Chat page calls ``change_strategy`` when the user picks another
strategy, and compares strategies over the same conversation by ``replay_with``.
"""

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
from memviz.engine.switching import switch_setting, was_asked
from memviz.models.base import Model
from memviz.strategies import as_strategy
from memviz.strategies.base import Strategy


class OtherSettings(Recalling):
    """The methods of a chat that put its conversation under another strategy."""

    def change_strategy(
        self, strategy: Strategy, counter: str | Counter | None = None
    ) -> None:
        """Continue the chat under another strategy, and under another counter if one is given.

        The memory of the new strategy is derived from the log: from the first message on, or from where the strategy
        was left if it was used before. Recorded requests, compactions and summaries stay as they were, with the setting
        that they were made under (``run.earlier_settings``); another counter counts their tokens again. If no model was
        asked yet, as in an imported conversation, all of them are derived again under the new strategy.
        """
        session, turns = self.begin_under(strategy, counter)
        for _turn in turns:
            pass
        self.adopt(session.run())

    def begin_under(
        self,
        strategy: Strategy,
        counter: str | Counter | None = None,
        summarizer: Model | None = None,
    ) -> tuple[Session, Iterator[int]]:
        """Return a session under another strategy, over a copy of the log, and the turns that it still has to play.

        This is the first half of :meth:`change_strategy`, for callers that show progress or may stop: the chat stays as
        it is until :meth:`adopt` is given the session's run. ``summarizer`` writes the summaries instead of the chat's
        own one.
        """
        setting = self._setting_under(strategy, counter)
        if summarizer is not None:
            setting = replace(setting, summarizer=summarizer)
        run = self._session.run()
        if was_asked(run):
            return switch_setting(run, setting)
        return begin_replay(
            self.log.prefix(len(self.log)), setting, self._recalls_under(strategy)
        )

    def adopt(self, run: Run) -> None:
        """Continue the chat under the strategy and the counter of ``run``, from the session of :meth:`begin_under`."""
        old = self._session
        new = Session.resume(
            self._with_authors(run),
            old.summarizer,
            repair_tool_pairs=old.setting.repair_tool_pairs,
        )
        new.review = old.review
        self._session = new

    def replay_with(self, strategy: Strategy) -> Run:
        """Return the run of another strategy over the same conversation. The chat does not change."""
        setting = self._setting_under(strategy)
        expect_turn(self.log)
        session, turns = begin_replay(self.log, setting, self._recalls_under(strategy))
        for _turn in turns:
            pass
        return self._with_authors(session.run())

    def _setting_under(
        self, strategy: Strategy, counter: AnyCounter | None = None
    ) -> Setting:
        """Return the setting of the chat with another strategy, and another counter if one is given."""
        setting = self._session.setting
        counter = find_counter(counter or setting.counter)
        return replace(setting, strategy=as_strategy(strategy), counter=counter)

    def _recalls_under(
        self, strategy: Strategy
    ) -> Mapping[RequestKey, Recall | Sequence[Recall]]:
        """Return the recalls of each turn; none if ``strategy`` does not allow them."""
        if not strategy.allows_recall:
            return {}
        recalled_in = self._recalled_in_turns()
        return {turn: recalled.asked for turn, recalled in recalled_in.items()}

    def _with_authors(self, run: Run) -> Run:
        """Return ``run`` with the author of each recall, the model or the user, which a replay cannot know."""
        recalled_in = self._recalled_in_turns()
        records = []
        for record in run.requests:
            if record.recalled is not None:
                in_chat = recalled_in.get(record.turn, Recalled())
                recalled = replace(record.recalled, by_model=in_chat.by_model)
                record = replace(record, recalled=recalled)
            records.append(record)
        return replace(run, requests=Requests.of(records))

    def _recalled_in_turns(self) -> dict[int, Recalled]:
        """Return the recalls of each turn's last request, which has all recalls of the turn."""
        recalled_in: dict[int, Recalled] = {}
        for record in self._session.requests:
            if record.recalled is not None:
                recalled_in[record.turn] = record.recalled
        return recalled_in
