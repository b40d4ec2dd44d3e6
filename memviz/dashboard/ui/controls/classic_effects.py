"""Ten classic effects of memory strategies, each as a view of a bundled conversation that shows it.

The figures in their sentences are those of the runs:
``tests/dashboard/ui/controls/test_classic_effects.py`` holds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from memviz.core.errors import MemvizError
from memviz.dashboard.ui.controls.links import is_link_opened, link_query
from memviz.dashboard.ui.controls.study import AddedRecall, CompareState
from memviz.dashboard.ui.shell.linked import address_now
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import View
from memviz.storage.workspace import SAMPLE_PREFIX
from memviz.strategies import strategy

Parameters = dict[str, Any]
_BUFFER, _WINDOW = ("buffer", Parameters()), ("window", Parameters(window_size=10))
_SUMMARY = ("summary", Parameters(buffer_size=8, summary_words=120))
_FACTS = ("fifo_facts", Parameters(token_limit=6000, flush_percent=60))


@dataclass(frozen=True, eq=False)
class Effect:
    """A classic effect: its ``title``, one ``sentence`` with the figures of the runs, and where it is seen: the
    ``view`` of a ``page``, a bundled ``conversation`` under ``settings`` (ids of strategies with their parameters), of
    which number ``look`` is looked at closely, and the request. ``recalls`` are turns that are brought back into every
    setting, by the turn that they are brought back into; ``parts`` are further parts of the address."""

    title: str
    sentence: str
    conversation: str
    settings: tuple[tuple[str, Parameters], ...]
    turn: int
    call: int | None = None
    page: str = "compare"
    view: str = "tokens"
    look: int = 0
    counter: str = "o200k_base"
    recalls: tuple[tuple[int, tuple[int, ...]], ...] = ()
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def state(self) -> CompareState:
        """The study that compares it."""
        state = CompareState(
            SAMPLE_PREFIX + self.conversation, [], counter=self.counter
        )
        for id, parameters in self.settings:
            state.add(id, parameters)
        state.recalls = [AddedRecall(turn, turns, None) for turn, turns in self.recalls]
        state.looked_at = state.settings[self.look].index
        return state

    @property
    def query(self) -> str:
        """The address that opens it, without its page."""
        return link_query(
            self.state,
            self.turn,
            parts=(("view", self.view), *self.parts),
            call=self.call,
        )

    def is_shown_by(self, state: CompareState) -> bool:
        """Return true if ``state`` is what it compares, whichever request is looked at."""
        if state.free_run or state.counter != self.counter:
            return False
        if state.conversation_id != SAMPLE_PREFIX + self.conversation:
            return False
        recalls = [(recall.turn, tuple(recall.turns)) for recall in state.recalls]
        if recalls != list(self.recalls):
            return False
        with suppress(MemvizError):
            own = [strategy(id, **parameters) for id, parameters in self.settings]
            return [setting.build() for setting in state.settings] == own
        return False


EFFECTS = (
    Effect(
        "A full buffer only grows",
        "Every request sends all that was said before it: 225 tokens at turn 1, 13,686 at turn 46.",
        "trip",
        (_BUFFER,),
        46,
    ),
    Effect(
        "A sliding window forgets the allergy",
        "Turn 3 says that a child must not eat cashews and pistachios. From turn 9 on it lies behind the last 10 "
        "messages, and so does the reply to it.",
        "trip",
        (_WINDOW, _BUFFER),
        9,
        page="facts",
        view="lives",
        parts=(("fact", "1"),),
    ),
    Effect(
        "The sawtooth of a summary",
        "9 times more than 16 messages are there and the older ones are summarized: the request falls, at turn 9 from "
        "2,713 to 1,567 tokens, and climbs again.",
        "trip",
        (_SUMMARY,),
        9,
    ),
    Effect(
        "A fact dies when its summary is summarized",
        "The summary knew from turn 18 on that Ottoline keeps the spare key. Version 12, written out of version 11 at "
        "turn 35, leaves her out.",
        "support",
        (_SUMMARY,),
        35,
        2,
        page="facts",
        view="summaries",
        parts=(("version", "11"),),
    ),
    Effect(
        "Recall brings a fact back, at a price",
        "Turn 15 comes back into the requests of turn 40: 226 tokens more in each, and that Ottoline keeps the spare "
        "key is known again.",
        "support",
        (_SUMMARY,),
        40,
        1,
        recalls=((40, (15,)),),
    ),
    Effect(
        "A cold cache changes who is cheapest",
        "With 1 minute between turns the full buffer costs $0.033 and the window $0.039. With 10 minutes the cache is "
        "cold (dotted): $0.10 and $0.039.",
        "trip",
        (_BUFFER, _WINDOW),
        46,
        view="dollars",
        parts=(("pause", "60.0"),),
    ),
    Effect(
        "Summaries cost more than they save",
        "Once it reaches 10,000 tokens, it summarizes before 11 of 12 turns and costs $0.065 in all; sending "
        "everything costs $0.033.",
        "trip",
        (
            ("chat_summary_buffer", {"token_limit": 10_000, "summary_words": 120}),
            _BUFFER,
        ),
        43,
        view="dollars",
        parts=(("pause", "60.0"),),
    ),
    Effect(
        "Tool results eat the window",
        "87% of what was said are results of tools. Cleared past 8,000 tokens, they leave 3,703 tokens of a last "
        "request of 12,530.",
        "agent",
        (_BUFFER, ("clear_tool_results", {"trigger_tokens": 8000})),
        7,
        2,
        look=1,
    ),
    Effect(
        "Chinese text takes other tokens",
        "4 characters a token is a rule for English: it counts 4,261 tokens here where the tokenizer counts 13,253, "
        "and summarizes 3 times in place of 11.",
        "chinese",
        (_BUFFER, ("summary_buffer", {"max_token_limit": 1500, "summary_words": 120})),
        48,
        look=1,
        counter="chars4",
    ),
    Effect(
        "A list of facts keeps what a summary loses",
        "At turn 48 the list still has all 20 facts, the running summary 11 of them and the sliding window 7.",
        "support",
        (_FACTS, _SUMMARY, _WINDOW),
        48,
        page="facts",
        view="lives",
    ),
)


def with_effect(
    page: str, state: CompareState, views: Sequence[View]
) -> tuple[View, ...]:
    """The views of a page. One that shows a classic effect says so in its sentence."""
    sentences = {view.id: view.sentence for view in views}
    for effect in _shown(page, state):
        sentences[effect.view] = f"**{effect.title}.** {plain(effect.sentence)}"
    return tuple(view._replace(sentence=sentences[view.id]) for view in views)


def _shown(page: str, state: CompareState) -> list[Effect]:
    here = [effect for effect in EFFECTS if effect.page == page]
    if not is_link_opened():
        return [effect for effect in here if effect.is_shown_by(state)]
    return [effect for effect in here if parse_qs(effect.query) == address_now()]
