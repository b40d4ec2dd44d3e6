"""Read a claim of a lesson: where it is measured, and with what it is compared."""

from collections.abc import Mapping
from functools import partial

from memviz.core.bounds import LARGEST_NUMBER, quoted
from memviz.core.translation import _
from memviz.dashboard.lessons.field_readers import (
    read_fact,
    read_name,
    read_pause,
    read_place,
    read_turn,
)
from memviz.dashboard.lessons.fields import (
    Field,
    Readers,
    read_values,
    read_word,
)
from memviz.dashboard.lessons.lesson import RELATIONS, Claim, Point
from memviz.dashboard.lessons.measure import RECORDS, Kind
from memviz.dashboard.lessons.measures import MEASURES
from memviz.dashboard.lessons.study import View

MAX_TIMES = 1e6


def read_claim(field: Field, view: View) -> Claim:
    """Return a claim such as ``{measure: request_tokens, turn: 13, relation: "<", value: 2000}``."""
    fields = field.fields(
        (*Point._fields, "relation", "value", "than", "times"), ("measure", "relation")
    )
    point = _point(fields, view, Point("", turn=view.turn, call=view.call))
    kind = MEASURES[point.measure].kind
    relation = fields["relation"].word(RELATIONS)
    if kind is not Kind.NUMBER and relation not in ("=", "!="):
        fields["relation"].fail(
            _(
                "is {relation}; what {measure} gives is no number, so = or != is meant.",
                relation=quoted(relation),
                measure=point.measure,
            )
        )
    if ("value" in fields) == ("than" in fields):
        field.fail(_("needs either a value or than, with which it is compared."))
    readers: Readers = {
        "than": lambda than: _point(than.fields(Point._fields), view, point),
        "times": partial(Field.amount, least=0, most=MAX_TIMES),
        "value": partial(_value, kind=kind, view=view),
    }
    return Claim(point, relation, **read_values(fields, readers))


def _value(field: Field, kind: Kind, view: View) -> float | bool | str:
    if kind is Kind.YES_OR_NO:
        value = field.value()
        if not isinstance(value, bool):
            field.fail(
                _("is {value}; it has to be true or false.", value=quoted(value))
            )
        return value
    if kind is Kind.SETTING:
        return read_place(field, view.study)
    if kind is Kind.WORD:
        return read_name(field)
    return field.amount(-LARGEST_NUMBER, LARGEST_NUMBER)


def _point(fields: Mapping[str, Field], view: View, before: Point) -> Point:
    """Return where something is measured; what ``fields`` do not say is as in ``before``, or as the step shows it."""
    readers: Readers = {
        "measure": read_word(MEASURES),
        "setting": partial(read_place, study=view.study),
        "turn": read_turn,
        "call": read_turn,
        "fact": read_fact,
        "message": read_turn,
        "pause_seconds": read_pause,
        "prices_of": read_name,
        "answers": read_word(RECORDS),
        "where": Field.scalars,
    }
    values = read_values(fields, readers)
    if "turn" in values:
        values.setdefault("call", None)  # a call belongs to its turn
    point = before._replace(**values)
    if point.fact is None:
        point = point._replace(fact=view.highlight.fact)
    if point.message is None:
        point = point._replace(message=view.highlight.message)
    if point.answers is None:
        point = point._replace(answers=view.answers or None)
    _judge_point(fields, point, view)
    return point


def _judge_point(fields: Mapping[str, Field], point: Point, view: View) -> None:
    field = fields.get("measure") or next(iter(fields.values()))
    if not view.study.settings:
        field.fail(
            _(
                "measures a run, and there is none; give settings in the lesson or the view."
            )
        )
    for name in MEASURES[point.measure].needs:
        if getattr(point, name) is None:
            field.fail(
                _(
                    "is {measure}, which needs a {name}; give it beside the measure.",
                    measure=point.measure,
                    name=name,
                )
            )
