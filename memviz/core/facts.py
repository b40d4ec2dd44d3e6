"""Facts that a model listed in notes: how they are written, and how they are read out of a text."""

import re
from collections.abc import Sequence
from typing import NamedTuple

FACTS = "facts"
"""The track of a list of facts: a version keeps those of the version that it takes in as they were written and adds
those of its messages. One that is made of the same messages once more condenses the list."""
OBSERVATIONS = "observations"
"""The track of what an observer noted of the conversation, a list like that of facts."""
LISTS = (FACTS, OBSERVATIONS)
BAR = " | "
"""Stands between the subject, the relation and the value of a fact that is a triple: "Ana | lives in | Oslo"."""
# <fact>Ana lives in Oslo</fact>, or <fact replaces="1">Ana lives in Rome</fact> where fact 1 holds no longer
TAGGED_FACT = re.compile(r'<fact(?: replaces="(\d{1,9})")?>(.*?)</fact>', re.DOTALL)


class Fact(NamedTuple):
    """One fact."""

    text: str
    replaces: int | None = None
    """The number (from 1) of the earlier fact that holds no longer because of this one."""


def facts_in(text: str) -> list[Fact]:
    """Return the facts of a text in which each stands in a ``<fact>``: of ``<fact replaces="1">Ana lives in
    Rome</fact>`` the fact "Ana lives in Rome", which replaces fact 1."""
    facts = []
    for number, tagged_text in TAGGED_FACT.findall(text):
        fact_text = tagged_text.strip()
        if fact_text:
            facts.append(Fact(fact_text, int(number) if number else None))
    return facts


def listed_facts(text: str) -> list[Fact]:
    """Return the facts of a list; of one that a user wrote without tags, its lines."""
    facts = facts_in(text)
    if facts:
        return facts
    lines = map(str.strip, text.splitlines())
    return [Fact(line) for line in lines if line]


def write_facts(facts: Sequence[Fact]) -> str:
    """Return facts as :func:`facts_in` reads them, one a line."""
    lines = []
    for text, replaces in facts:
        attribute = "" if replaces is None else f' replaces="{replaces}"'
        lines.append(f"<fact{attribute}>{text}</fact>")
    return "\n".join(lines)


def names_in(text: str) -> tuple[str, ...]:
    """Return the subject and the value of a fact that is a triple, in small letters; of any other fact nothing.
    "Ana | lives in | Oslo" has "ana" and "oslo"."""
    parts = text.casefold().split(BAR)
    return (parts[0], parts[2]) if len(parts) == 3 else ()
