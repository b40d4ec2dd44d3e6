"""The subject of a picture as values: a study, and the view of it that a page or a step of a lesson shows; and the
address that opens a view, written and read. Whatever shows, links, keeps or teaches a view speaks of it in these.

Turns, calls and messages count from 1, as pages number them; settings and facts are places in a list, from 0.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

from memviz.core.bounds import quoted, read_json, whole_number
from memviz.core.counters import DEFAULT_COUNTER, counter
from memviz.core.errors import MemvizError
from memviz.core.text.wording import COMMA
from memviz.core.translation import _, noop
from memviz.engine.recall import parse_numbers
from memviz.metrics.cost.pricing import DEFAULT_PAUSE_SECONDS
from memviz.models.names import DEFAULT_MODEL, RECORDING
from memviz.storage.workspace import SAMPLE_PREFIX
from memviz.strategies import strategy
from memviz.strategies.base import Strategy
from memviz.transcripts.samples import bundled

T = TypeVar("T")
Query = Mapping[str, Sequence[str]]
STUDY_PAGES = ("stage", "compare", "facts")
"""Pages that show one conversation under settings. The stage is one of Compare."""
WITHOUT_STUDY = ("library", "guide")
MAX_SETTINGS = 6
MAX_RECALLS = 100
MAX_TAKES = 50
MOST_NAMED = 3
HELD_CHAT: int = -1
"""The place of a chat as it was held, which is none of the settings."""
ALL_MESSAGES = 0


class RecalledTurns(NamedTuple):
    """Earlier ``turns`` brought back into the request of ``turn``: under the ``setting``, or ``None`` for all."""

    turn: int
    turns: tuple[int, ...]
    setting: int | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """The subject of a replay: a conversation under settings."""

    conversation: str = ""
    """The name of a bundled one, or the id of a saved one."""
    settings: tuple[Strategy, ...] = ()
    recalls: tuple[RecalledTurns, ...] = ()
    counter: str = DEFAULT_COUNTER
    prices_of: str = DEFAULT_MODEL
    pause_seconds: float = DEFAULT_PAUSE_SECONDS
    writer: str = ""
    """The recording that plays the summaries. Empty: one that was made for the setting and plays unasked, else the
    built-in model."""
    first_messages: int | None = None
    """The number of messages that are replayed of a long conversation, or :data:`ALL_MESSAGES`; ``None``: as many as
    pages show unasked."""
    as_written: tuple[int, ...] = ()
    """Settings that show a summarizer's wording also where the visitor reworded it."""
    is_free_run: bool = False
    """A model answers under each of the settings."""
    take: int = 0
    """The one of several free runs that is shown."""

    @property
    def conversation_id(self) -> str:
        """The id under which the workspace has the conversation."""
        if self.conversation in bundled():
            return SAMPLE_PREFIX + self.conversation
        return self.conversation


@dataclass(frozen=True, slots=True)
class Highlight:
    """The things that a view points at."""

    setting: int | None = None
    fact: int | str | None = None
    """The fact that is pointed at, by its place in the conversation's list, or one of its answers."""
    message: int | None = None


@dataclass(frozen=True, slots=True)
class View:
    """The picture of a study that is shown."""

    study: Study
    page: str = "stage"
    show: str = ""
    """The page's own view, by its name in addresses."""
    measure: str = "tokens"
    turn: int | None = None
    """The turn where the stage stands at first. It can be played between the two below; ``None``: from the
    conversation's first, to its last."""
    call: int | None = None
    first_turn: int | None = None
    last_turn: int | None = None
    highlight: Highlight = field(default_factory=Highlight)
    controls: tuple[str, ...] | None = None
    """The names of the controls that the stage shows; ``None``: all."""
    link: tuple[tuple[str, str], ...] = ()
    """Further parts of the page's address."""
    answers: str = ""
    """The record of answers whose chart is shown in place of the stage."""

    @property
    def has_stage(self) -> bool:
        """Return true if the player of lessons draws it on the stage."""
        return self.page in STUDY_PAGES and not self.answers

    @property
    def page_file(self) -> str:
        """The page that shows it, by the name of its file."""
        return "compare" if self.page == "stage" else self.page


def parts_of(view: View, fact: int | None = None) -> list[tuple[str, str]]:
    """Return the parts of an address that opens a view, without its page. ``fact`` is the place of the one that
    is shown closely."""
    parts = view.link
    if view.page not in WITHOUT_STUDY:
        parts = (*_study_parts(view), *_view_parts(view, fact), *view.link)
    return [(name, text) for name, text in parts if text]


def query_of(view: View, fact: int | None = None) -> str:
    """Return the view as the query of an address, without question mark: ``setting=window&turn=13``."""
    return urlencode(parts_of(view, fact))


def _study_parts(view: View) -> Iterator[tuple[str, str]]:
    study = view.study
    yield "conversation", study.conversation_id
    if study.first_messages is not None:
        yield "first", str(study.first_messages or "all")
    for setting in study.settings:
        parameters = setting.model_dump(mode="json", exclude_unset=True)
        words = json.dumps(parameters, ensure_ascii=False) if parameters else ""
        yield "setting", f"{setting.id} {words}".rstrip()
    for place in study.as_written:
        yield "as-written", str(place)
    yield "counter", study.counter
    if study.writer:
        yield "summarizer", RECORDING + study.writer
    for turn, turns, place_of in study.recalls:
        whose = "" if place_of is None else f" {place_of}"
        yield "recall", f"{turn} {','.join(map(str, turns))}{whose}"
    if study.is_free_run:
        yield "replies", "free-run"
    yield "take", str(study.take or "")


def _view_parts(view: View, fact: int | None) -> Iterator[tuple[str, str]]:
    looked_at = view.highlight.setting
    if looked_at is not None:
        yield "look", "chat" if looked_at == HELD_CHAT else str(looked_at)
    if view.turn:
        yield "turn", str(view.turn)
        yield "call", str(view.call or "")
    if view.page == "stage":
        yield "stage", "on"
    yield "view", view.show
    if view.study.prices_of != DEFAULT_MODEL:
        yield "prices", view.study.prices_of
    if view.study.pause_seconds != DEFAULT_PAUSE_SECONDS:
        yield "pause", str(view.study.pause_seconds)
    if fact is not None:
        yield "fact", str(fact)


STUDY_PARTS = (
    "conversation", "first", "setting", "as-written", "counter", "recall", "replies", "take", "look", "turn", "call",
)  # fmt: skip
"""The parts that :func:`read_view` reads. Prices, the fact and what else is open belong to controls of the pages."""


def read_view(query: Query, before: View) -> tuple[View, list[str]]:
    """Return the view that an address asks for, and a sentence for each part of it that cannot be used. Conversation,
    settings and counter that it does not name are those of the view ``before``."""
    asked = _AddressReader(query)
    settings = tuple(asked.several("setting", _read_setting, MAX_SETTINGS))
    as_written = before.study.as_written
    if settings:
        read_place = partial(_read_place, settings)
        as_written = tuple(asked.several("as-written", read_place, MAX_SETTINGS))
    else:
        settings = before.study.settings
    conversation = [*query.get("conversation", ()), before.study.conversation][0]
    first_messages = asked.one("first", _read_first)
    counted_by = asked.one("counter", lambda text: counter(text).name)
    recalls = asked.several("recall", partial(_read_recall, settings), MAX_RECALLS)
    take = asked.one("take", lambda text: range(MAX_TAKES)[whole_number(text)])
    study = Study(
        conversation.removeprefix(SAMPLE_PREFIX),
        settings,
        tuple(recalls),
        counted_by or before.study.counter,
        first_messages=first_messages,
        as_written=as_written,
        is_free_run="free-run" in query.get("replies", ()),
        take=take or 0,
    )
    looked_at = asked.one("look", partial(_read_look, settings))
    turn = asked.one("turn", whole_number)
    call = asked.one("call", whole_number)
    shown = Highlight(setting=looked_at)
    view = View(study, "compare", turn=turn, call=call or None, highlight=shown)
    return view, asked.problems


@dataclass
class _AddressReader:
    """The parts of an address, and what is wrong with those that were read."""

    query: Query
    problems: list[str] = field(default_factory=list)

    def several(self, name: str, read: Callable[[str], T], at_most: int) -> list[T]:
        texts = self.query.get(name, ())
        if len(texts) > at_most > 1:
            self.problems.append(_read_left_out(name, texts[at_most:], at_most))
        values = []
        for text in texts[:at_most]:
            try:
                values.append(read(text))
            except (MemvizError, ValueError, IndexError) as error:
                problem = _(
                    "The link's {name} {text} was passed over: {error}",
                    name=name,
                    text=quoted(text),
                    error=error,
                )
                self.problems.append(problem)
        return values

    def one(self, name: str, read: Callable[[str], T]) -> T | None:
        return next(iter(self.several(name, read, 1)), None)


def _read_left_out(name: str, texts: Sequence[str], at_most: int) -> str:
    template = noop(
        "A link holds at most {most} {name}s, so of this one {named} were left out."
    )
    if len(texts) > MOST_NAMED:
        template = noop(
            "A link holds at most {most} {name}s, so of this one {named} and {more:,} more were left out."
        )
    return _(
        template,
        most=at_most,
        name=name,
        named=_(COMMA).join(map(quoted, texts[:MOST_NAMED])),
        more=len(texts) - MOST_NAMED,
    )


def _read_setting(text: str) -> Strategy:
    strategy_id, _space, parameters = text.partition(" ")
    values = read_json(parameters) if parameters else {}
    if not isinstance(values, dict):
        raise ValueError(_("its parameters are not an object of names and values."))
    return strategy(strategy_id, **values)


def _read_place(settings: Sequence[Strategy], text: str) -> int:
    places: list[int] = [*range(len(settings))]
    return places[whole_number(text)]


def _read_look(settings: Sequence[Strategy], text: str) -> int:
    if text == "chat":
        return HELD_CHAT
    return _read_place(settings, text)


def _read_recall(settings: Sequence[Strategy], text: str) -> RecalledTurns:
    turn, turns, *whose = text.split(" ")
    place = _read_place(settings, whose[0]) if whose else None
    return RecalledTurns(whole_number(turn), parse_numbers(turns), place)


def _read_first(text: str) -> int:
    return ALL_MESSAGES if text == "all" else max(1, whole_number(text))
