"""A lesson as values: texts in two languages, the views that its steps show, what is claimed of the runs behind them,
and what is asked. Read by :mod:`memviz.dashboard.lessons.reading`; nothing here knows a run.

Turns, calls and messages count from 1, as pages number them; settings, facts and choices are places in a list, from 0.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memviz.core import page_titles
from memviz.core.translation import language_now, noop, use_language
from memviz.dashboard.lessons.study import View

Language = Literal["en", "zh"]
LANGUAGES: dict[Language, str] = {"en": "English", "zh": "简体中文"}
"""The languages of a lesson's texts, each with its own name."""
PAGE_NAMES = {
    "stage": noop("Animation"),
    "compare": page_titles.COMPARE,
    "facts": page_titles.FACTS,
    "tune": page_titles.TUNE,
    "chat": page_titles.CHAT,
    "library": page_titles.LIBRARY,
    "guide": page_titles.GUIDE,
}
"""The things that a step may show, with their titles: the stage alone, or a page of the dashboard, to which the step
then leads."""
PAGES = tuple(PAGE_NAMES)
MEASURED_IN = ("tokens", "dollars", "memory")
"""The amounts that the stage draws."""
CONTROLS = (
    "previous",
    "play",
    "next",
    "event",
    "speed",
    "slider",
    "facts",
    "legend",
    "ask",
    "keys",
)
"""Controls of the stage."""
PREDICTIONS = ("summarizes", "stays", "knows", "cheapest")


def language_of_reader() -> Language:
    """Return the language in which whoever looks now reads lessons: that of the pages, if
    lessons have it."""
    return "zh" if language_now() == "zh" else "en"


@dataclass(frozen=True, slots=True)
class Text:
    """A text in one language or in both. Where it has one alone, that one is shown in either."""

    en: str = ""
    zh: str = ""

    def said(self, language: Language) -> str:
        """Return the text in this language, or in the other one."""
        if language == "zh":
            return self.zh or self.en
        return self.en or self.zh

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages that the text has."""
        return tuple(language for language in LANGUAGES if getattr(self, language))

    def __bool__(self) -> bool:
        return bool(self.en or self.zh)


def apply_in_languages(say: Callable[[], str]) -> Text:
    """Return what the function says in each language."""
    texts = {}
    for language in LANGUAGES:
        with use_language(language):
            texts[language] = say()
    return Text(**texts)


class Point(NamedTuple):
    """The place of a measurement: under which setting, at which request, of which fact or message, on which terms.
    ``None`` stands for what the step shows."""

    measure: str
    setting: int = 0
    turn: int | None = None
    call: int | None = None
    fact: int | str | None = None
    message: int | None = None
    pause_seconds: float | None = None
    prices_of: str | None = None
    answers: str | None = None
    where: tuple[tuple[str, float | bool | str], ...] = ()
    """For a record of ``answers``: only the answers whose fields have these values, such as ``depth`` 50."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a step says of the runs: what is measured at ``point`` stands in ``relation`` to ``value``, or to
    what is measured at ``than``, so many ``times``."""

    point: Point
    relation: str
    value: float | bool | str | None = None
    than: Point | None = None
    times: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its choices, the place of the right one among them, and the reason."""

    text: Text
    choices: tuple[Text, ...]
    answer: int
    reason: Text = Text()


@dataclass(frozen=True, slots=True)
class Prediction:
    """A question whose answer comes from the run: ``summarizes`` (does this request?), ``stays`` (how many messages are
    still sent word for word?), ``knows`` (does the request hold the ``fact``?), ``cheapest`` (which setting, up to this
    turn?)."""

    kind: str
    turn: int
    setting: int = 0
    fact: int | str | None = None


@dataclass(frozen=True, slots=True)
class Try:
    """Something to try: a sentence, and the view that is opened."""

    text: Text
    view: View


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a lesson. ``text`` and ``notes`` (for who speaks) are in the Markdown of
    :mod:`memviz.dashboard.lessons.markdown`."""

    title: Text
    text: Text
    view: View
    claims: tuple[Claim, ...] = ()
    asked: Question | Prediction | None = None
    to_try: tuple[Try, ...] = ()
    notes: Text = Text()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson. ``id`` is the name of its file, and stands in its link. Lists have lessons with a smaller ``order``
    first."""

    id: str
    title: Text
    steps: tuple[Step, ...]
    summary: Text = Text()
    minutes: int | None = None
    order: int | None = None

    @property
    def texts(self) -> Iterator[Text]:
        """All of its texts."""
        texts = [self.title, self.summary]
        for step in self.steps:
            texts += [step.title, step.text, step.notes]
            asked = step.asked
            if isinstance(asked, Question):
                texts += [asked.text, *asked.choices, asked.reason]
            texts += [attempt.text for attempt in step.to_try]
        return filter(None, texts)

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages that all texts of the lesson have; where none is in all of them, those of the title."""
        languages_of_texts = [text.languages for text in self.texts]
        whole = []
        for code in LANGUAGES:
            if all(code in languages for languages in languages_of_texts):
                whole.append(code)
        return tuple(whole) or self.title.languages


NEARLY = 0.1
"""The share by which a number may miss one that it is said to be *about*."""
_ROUNDING = 1e-9

RELATIONS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "=": (
        "is",
        lambda value, other: abs(value - other) <= _ROUNDING * max(1.0, abs(other)),
    ),
    "!=": (
        "is not",
        lambda value, other: abs(value - other) > _ROUNDING * max(1.0, abs(other)),
    ),
    "<": ("is less than", lambda value, other: value < other),
    "<=": ("is at most", lambda value, other: value <= other),
    ">": ("is more than", lambda value, other: value > other),
    ">=": ("is at least", lambda value, other: value >= other),
    "about": (
        "is about",
        lambda value, other: abs(value - other) <= NEARLY * abs(other),
    ),
}
"""Each relation with its words and its rule."""


RIGHT = noop("**Right.**")
NOT_QUITE = noop("**Not quite:** you said “{said}”. It is: **{right}**")
