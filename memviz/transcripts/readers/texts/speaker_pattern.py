"""Finds who speaks in a text: names that nobody has to know, because they take turns at the beginning of lines."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from memviz.transcripts.readers.texts.speakers import (
    SPEAKERS,
    is_label,
    likely_role,
    role_of,
    roles_of,
)
from memviz.transcripts.user_names import nobody_called, same_name

MANY = 2
"""A name that starts so many lines may be somebody's."""
ENOUGH_TURNS = 4
"""So many lines of unknown names alone, which take turns, make a dialogue,"""
MANY_PEOPLE = 8
"""of so many people at most: more names are those of fields or sections."""
LINES_ABOVE = 6
"""So many lines may stand above a dialogue of unknown names. Further down, sections of an article look like one."""
MOST_CHARS_ABOVE = 2_000
"""A text above that is longer has too many lines."""


class Named(NamedTuple):
    """A line that may name who speaks next: the name as it is written, without "said" behind it, and in the form that
    its other lines have as well; the bold or heading marks, and whether a time stands first; where the line starts."""

    name: str
    key: str
    mark: tuple[str, bool]
    start: int
    match: re.Match[str]


class Cast(NamedTuple):
    """The speakers of a text: the lines of all in order, and the role of each name.

    ``roles`` is ``None`` where the names do not show who the user is. ``passed_over`` are names that start several
    lines, or one where the other side would have to speak, and were taken for words of the text.
    """

    lines: tuple[Named, ...]
    roles: dict[str, str] | None
    passed_over: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Those who speak, as they are first written."""
        return tuple(_spellings(self.lines).values())


def cast_of(
    known: Sequence[Named], others: Sequence[Named], user: str | None = None
) -> Cast | None:
    """Return who speaks, of the lines with a ``known`` speaker and the :func:`possible` others; ``None`` if nobody.

    With ``user``, the name under which the user speaks, a name that starts one line is enough. Where nobody is called
    so, the names decide, if they show who the user is.
    """
    found = _found(known, others)
    if user is None:
        return found
    if found and found.roles:
        if not _speaks(user, [*found.lines, *others]):
            return found
        if len(found.lines) >= MANY and _speaks(user, found.lines):
            return found._replace(roles=roles_of(found.names, user))
    everybody = _everybody(known, others, user)
    return everybody._replace(roles=roles_of(everybody.names, user))


def named(match: re.Match[str]) -> Named:
    """The line that a pattern of speaker lines has found."""
    name = match["name"].strip()
    if name[-5:].lower() == " said":
        name = name[:-5].rstrip()
    mark = (match["mark"], match["stamp"] is not None)
    return Named(name, name.casefold(), mark, match.start(), match)


def possible(known: Sequence[Named], matches: Iterable[re.Match[str]]) -> list[Named]:
    """The other lines that look like those of the known speakers, or like each other, and are no known labels."""
    taken = {line.start for line in known}
    marks = {line.mark for line in known}
    is_lower = bool(known) and known[0].name.islower()
    # Names as they are written: most lines of a long text are of a few of them.
    nobodies: set[str] = set()
    # Names in the other letter case, which few texts have as speakers.
    small: set[str] = set()
    first_mark: dict[str, tuple[str, bool]] = {}
    alike: list[Named] = []
    of_other_case: list[re.Match[str]] = []
    for match in matches:
        if match["name"] in nobodies or match.start() in taken:
            continue
        if match["name"] in small:
            of_other_case.append(match)
            continue
        line = named(match)
        if line.key in SPEAKERS or is_label(line.key):
            nobodies.add(match["name"])
        elif line.name.lstrip("@")[:1].islower() != is_lower:
            small.add(match["name"])
            of_other_case.append(match)
        elif (not marks or line.mark in marks) and first_mark.setdefault(
            line.key, line.mark
        ) == line.mark:
            alike.append(line)
    found = [*alike, *_facing_a_model([*known, *alike], of_other_case)]
    return sorted(found, key=lambda line: line.start)


def _facing_a_model(
    speaking: Sequence[Named], of_other_case: Sequence[re.Match[str]]
) -> list[Named]:
    """The lines of an account such as "anasilva" that takes turns with a model such as "GitHub Copilot": it is at the
    top of the text or stands regularly between the model's lines, where nobody else does."""
    models = sorted(filter(_is_model, speaking), key=lambda line: line.start)
    people = [line for line in speaking if not _is_model(line)]
    has_user = any(likely_role(line.name) == "user" for line in people)
    if not models or has_user or _regular(models, people):
        return []
    lines = [line for line in map(named, of_other_case) if line.mark == models[0].mark]
    accounts = set(_regular(models, lines))
    accounts.update(line.key for line in lines[:1] if _is_at_the_top(line))
    return [line for line in lines if line.key in accounts]


def _is_at_the_top(line: Named) -> bool:
    return not line.match.string[: line.start].strip()


def _found(known: Sequence[Named], others: Sequence[Named]) -> Cast | None:
    sides = {role_of(line.name) for line in known} & {"user", "assistant"}
    if len(sides) == 2:
        return _with_models(known, others)
    # An answer, or the first of the speakers A and B.
    if known and all(len(line.name) == 1 for line in known):
        letters = _take_turns(sorted([*known, *others], key=lambda line: line.start))
        return _cast(letters)._replace(roles=None) if letters else _cast(known)
    strangers = _take_turns(others)
    if sides and (len(known) > 1 or not strangers):
        return _with_answers(known, others, *sides)
    if strangers:
        is_first = bool(known) and known[0].start < strangers[0].start
        return _cast([*known, *strangers] if is_first or not sides else strangers)
    return _cast(known) if known else _short_talk(others)


def _short_talk(others: Sequence[Named]) -> Cast | None:
    """Somebody and a model by its own name, who take turns from the top of the text on, were it only once."""
    if len(others) < MANY or len(_spellings(others)) > MANY:
        return None
    if not _is_at_the_top(others[0]):
        return None
    is_talk = all(_is_model(one) != _is_model(next) for one, next in pairwise(others))
    return _cast(others) if is_talk else None


def _with_models(known: Sequence[Named], others: Sequence[Named]) -> Cast:
    """User and assistant are known. Models by their own names may speak beside them; other names are text."""
    asking = [line for line in known if role_of(line.name) == "user"]
    regular = _regular(asking, others)
    models = {key for key in regular if likely_role(regular[key]) == "assistant"}
    speaking = [*known, *(line for line in others if line.key in models)]
    speaking.sort(key=lambda line: line.start)
    rest = [line for line in others if line.key not in models]
    answers, unsure = _where_answers_are_missing(speaking, rest)
    passed_over = {line.key: line.name for line in unsure}
    passed_over |= {key: regular[key] for key in regular if key not in models}
    return _cast([*speaking, *answers], tuple(passed_over.values()))


def _where_answers_are_missing(
    known: Sequence[Named], others: Sequence[Named]
) -> tuple[list[Named], list[Named]]:
    """The other lines that stand where it is the other side's turn: between two lines of one side, and after a last
    line of the user. First those whose name says that they are of the other side, then those of any other name, if
    nothing else there looks like a speaker."""
    answers: list[Named] = []
    unsure: list[Named] = []
    sides = [likely_role(line.name) for line in known]
    for side, next_side, gap in zip(
        sides, [*sides[1:], "user"], _between(known, others)[1:], strict=True
    ):
        if not gap or side != next_side or side not in ("user", "assistant"):
            continue
        if _opposes(gap[0], side):
            answers.append(gap[0])
        elif len(_spellings(gap)) == 1:
            unsure.append(gap[0])
    return answers, unsure


def _with_answers(
    known: Sequence[Named], others: Sequence[Named], side: str | None
) -> Cast:
    """Only one side has a known name. Whoever regularly speaks first after it is the other side."""
    counts = Counter(line.key for line in others)
    many_keys = {key for key, count in counts.items() if count >= MANY}
    strong = [line for line in others if line.key in many_keys or _opposes(line, side)]
    gaps = _between(known, strong)
    leaders = Counter(gap[0].key for gap in gaps if gap)
    if not leaders:
        return _with_single_answers(known, others)
    spelled = _spellings(strong)
    many = {key: name for key, name in spelled.items() if key in many_keys}
    if 2 * sum(leaders.values()) < len(known):  # now and then: a word of the text
        return _cast(known, tuple(many.values()))
    all_lead = set(leaders) == {line.key for line in strong}
    alone = all(len(_spellings(gap)) <= 1 for gap in gaps)
    regular = {key for key in _regular(known, strong) if key not in leaders}
    speakers = [line for line in strong if line.key in leaders]
    is_clear = (all_lead and alone) or all(map(_is_model, speakers))
    if len(leaders) == 1 and not regular:
        is_clear = True
    passed_over = tuple(name for key, name in many.items() if key not in leaders)
    if is_clear:
        return _cast([*known, *speakers], passed_over)
    return _cast([*known, *strong])._replace(roles=None)


def _with_single_answers(known: Sequence[Named], others: Sequence[Named]) -> Cast:
    inner = _between(known, others)[1:-1]
    if inner and all(inner):  # each turn may have its answer, but no name comes again
        return _cast([*known, *others])._replace(roles=None)
    return _cast(known)


def _take_turns(others: Sequence[Named]) -> list[Named]:
    """The lines of names that come again and take turns, from the top of the text; none where they do not."""
    counts = Counter(line.key for line in others)
    repeated = [line for line in others if counts[line.key] >= MANY]
    changes = sum(one.key != next.key for one, next in pairwise(repeated))
    people = {line.key for line in repeated}
    if len(repeated) < ENOUGH_TURNS or 2 * changes < len(repeated) - 1:
        return []
    if len(people) > MANY_PEOPLE or len(counts) - len(people) > len(repeated):
        return []
    return repeated if _lines_above(repeated[0]) <= LINES_ABOVE else []


def _lines_above(line: Named) -> int:
    """The lines above that are not blank, such as a title; at most a few are counted."""
    above = line.match.string[: line.start]
    if len(above) >= MOST_CHARS_ABOVE:
        return LINES_ABOVE + 1
    return sum(1 for text in above.split("\n") if text.strip())


def _speaks(user: str, lines: Sequence[Named]) -> bool:
    return any(same_name(line.key, user) for line in lines)


def _everybody(known: Sequence[Named], others: Sequence[Named], user: str) -> Cast:
    """Every line of a name that comes again, or is the user's; if those are of one name, every line of any name."""
    counts = Counter(line.key for line in others)
    chosen = [
        line for line in others if counts[line.key] >= MANY or same_name(line.key, user)
    ]
    found = _cast([*known, *chosen])
    if len(found.names) < 2:
        found = _cast([*known, *others])
    if not found.lines:
        raise nobody_called(user, ())
    return found


def _cast(lines: Sequence[Named], passed_over: tuple[str, ...] = ()) -> Cast:
    ordered = tuple(sorted(lines, key=lambda line: line.start))
    return Cast(ordered, roles_of(tuple(_spellings(ordered).values())), passed_over)


def _spellings(lines: Sequence[Named]) -> dict[str, str]:
    """Each name as it is first written, by its key."""
    found: dict[str, str] = {}
    for line in lines:
        found.setdefault(line.key, line.name)
    return found


def _between(known: Sequence[Named], others: Sequence[Named]) -> list[list[Named]]:
    """The other lines before the first known line, between each two, and after the last."""
    starts = [line.start for line in known]
    gaps: list[list[Named]] = [[] for _ in range(len(known) + 1)]
    for line in others:
        gaps[bisect_right(starts, line.start)].append(line)
    return gaps


def _regular(known: Sequence[Named], others: Sequence[Named]) -> dict[str, str]:
    """The names, by their key, that stand in at least half of the gaps and in several, at most twice in each on
    average: what comes more often is the label of a list."""
    gaps = _between(known, others)
    there: Counter[str] = Counter()
    for gap in gaps:
        there.update({line.key for line in gap})
    counts = Counter(line.key for line in others)
    regular = {}
    for key, name in _spellings(others).items():
        is_often = there[key] >= MANY and 2 * there[key] >= len(known)
        if is_often and counts[key] <= 2 * there[key]:
            regular[key] = name
    return regular


def _opposes(line: Named, side: str | None) -> bool:
    return likely_role(line.name) not in (None, side)


def _is_model(line: Named) -> bool:
    return likely_role(line.name) == "assistant"
