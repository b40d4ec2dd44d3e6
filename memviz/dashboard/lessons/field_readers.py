"""Readers of the fields that several parts of a lesson have: names, texts, turns, settings and facts."""

from functools import partial

from memviz.core.bounds import MAX_QUOTED_CHARS, MAX_SECONDS
from memviz.core.translation import _
from memviz.dashboard.lessons.fields import Field, read_number
from memviz.dashboard.lessons.study import Study

TITLE_CHARS = 120
SUMMARY_CHARS = 400
TEXT_CHARS = 6_000
MAX_TURN = 1_000_000
MAX_PLACE = 100_000
read_name = partial(Field.line, most_chars=MAX_QUOTED_CHARS)
read_title = partial(Field.text, most_chars=TITLE_CHARS)
read_sentence = partial(Field.text, most_chars=SUMMARY_CHARS)
read_prose = partial(Field.text, most_chars=TEXT_CHARS, is_markdown=True)
read_turn = read_number(1, MAX_TURN)
read_pause = partial(Field.amount, least=0, most=MAX_SECONDS)


def read_place(field: Field, study: Study) -> int:
    """Return the place of a setting among those of a study, from 0."""
    if not study.settings:
        words = _(
            "names a setting, and there are none; give settings in the lesson or the view."
        )
        field.fail(words)
    return field.number(0, len(study.settings) - 1)


def read_fact(field: Field) -> int | str:
    """Return the place of a fact in the conversation's list, such as 3, or one of its answers, such as "Lisbon"."""
    value = field.value()
    if isinstance(value, int) and not isinstance(value, bool):
        return field.number(0, MAX_PLACE)
    return field.line(SUMMARY_CHARS)
