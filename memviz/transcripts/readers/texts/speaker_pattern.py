"""Finds who speaks in a text by names that nobody has to know, because they take turns
at line starts."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from memviz.transcripts.readers.texts.named_lines import (
    MIN_LINES,
    NamedLine,
    find_gaps,
    find_regular_names,
    first_spellings,
    is_at_the_top,
    is_model,
    sort_lines,
)
from memviz.transcripts.readers.texts.speakers import likely_role, role_of, roles_of
from memviz.transcripts.user_names import is_same_name, no_such_user_error

MIN_TURNS = 4
"""Number of lines of unknown names that make a dialogue without any known name, if they
take turns."""
MAX_PEOPLE = 8
"""Number of people in such a dialogue at most: more names are those of fields or
sections."""
MAX_LINES_ABOVE = 6
"""Number of lines above such a dialogue at most: further down, sections of an article
look like one."""
MAX_CHARS_ABOVE = 2_000
"""Characters above such a dialogue from which on they are too many lines, uncounted."""


class Cast(NamedTuple):
    """The speakers of a text."""

    lines: tuple[NamedLine, ...]
    """The lines of all speakers, in order."""
    roles: dict[str, str] | None
    """The role of each name; ``None`` where the names do not show who the user is."""
    passed_over: tuple[str, ...] = ()
    """Names that look like speakers and were taken for words of the text: they start
    several lines, or one where the other side would have to speak."""

    @property
    def names(self) -> tuple[str, ...]:
        """Those who speak, as they are first written."""
        return tuple(first_spellings(self.lines).values())


class MissingAnswers(NamedTuple):
    """Lines that stand where the other side would have to speak."""

    sure: list[NamedLine]
    """Lines whose name is one of the other side: "Claude" after "User"."""
    unsure: list[NamedLine]
    """Lines of the only name that stands there: "Summary" after "User"."""


def find_cast(
    named_lines: Sequence[NamedLine],
    others: Sequence[NamedLine],
    user: str | None = None,
) -> Cast | None:
    """Return who speaks in a text with these lines; ``None`` if nobody does.

    ``others`` are the
    :func:`~memviz.transcripts.readers.texts.named_lines.possible_lines`. ``user`` is
    the name under which the user speaks: one line is enough for it. Where nobody has
    that name, the names decide, if they show who the user is.
    """
    by_names = _find_cast_by_names(named_lines, others)
    if user is None:
        return by_names
    if by_names and by_names.roles:
        if not _speaks(user, [*by_names.lines, *others]):
            return by_names
        if len(by_names.lines) > 1 and _speaks(user, by_names.lines):
            return by_names._replace(roles=roles_of(by_names.names, user))
    everybody = _collect_everybody(named_lines, others, user)
    return everybody._replace(roles=roles_of(everybody.names, user))


def _find_cast_by_names(
    named_lines: Sequence[NamedLine], others: Sequence[NamedLine]
) -> Cast | None:
    """Return who speaks, judged by the names alone. The first case that fits decides:

    1. User and assistant are known: "User: hi", "Assistant: hello".
    2. The only known names are letters: "A: hi", "B: hello", or the answer "A: 42".
    3. One side is known, by several lines or beside nobody who takes turns: "User: hi",
       "Anna: hello".
    4. Strangers take turns: "Anna: hi", "Ben: hello", "Anna: well?", "Ben: fine".
    5. There is only a system prompt or a tool's result: "System: be kind".
    6. Nobody is known: a short talk with a model ("Anna: hi", "Claude: hello"), or no
       dialogue.
    """
    sides = {role_of(line.name) for line in named_lines} & {"user", "assistant"}
    if len(sides) == 2:
        return _cast_models(named_lines, others)
    if named_lines and all(len(line.name) == 1 for line in named_lines):
        return _cast_letters(named_lines, others)
    strangers = _take_turns(others)
    if sides and (len(named_lines) > 1 or not strangers):
        (side,) = sides
        return _cast_answers(named_lines, others, side)
    if strangers and sides and strangers[0].start < named_lines[0].start:
        # "User: ..." once below the first stranger is a sentence of theirs.
        return _make_cast(strangers)
    if named_lines or strangers:
        return _make_cast([*named_lines, *strangers])
    return _cast_short_talk(others)


def _cast_letters(
    named_lines: Sequence[NamedLine], others: Sequence[NamedLine]
) -> Cast:
    """Return the speakers A and B, of whom either may be the user; or only the known
    letter, such as an answer's."""
    letters = _take_turns(sort_lines([*named_lines, *others]))
    if letters:
        return _make_cast(letters)._replace(roles=None)
    return _make_cast(named_lines)


def _cast_short_talk(others: Sequence[NamedLine]) -> Cast | None:
    """Return somebody and a model who take turns from the top of the text on, were it
    only once.

    "Anna: What is 2 + 2?", "Claude: 4"
    """
    if len(first_spellings(others)) != 2 or not is_at_the_top(others[0]):
        return None
    for line, following in pairwise(others):
        if is_model(line) == is_model(following):
            return None
    return _make_cast(others)


def _cast_models(named_lines: Sequence[NamedLine], others: Sequence[NamedLine]) -> Cast:
    """Return the known user and assistant, with models that answer the user under their
    own names.

    "User: hi", "Assistant: hello", "User: and you?", "Claude: hello, too". Any other
    name is text.
    """
    questions = [line for line in named_lines if role_of(line.name) == "user"]
    regular = find_regular_names(questions, others)
    models = {key for key in regular if likely_role(regular[key]) == "assistant"}
    answering = [line for line in others if line.key in models]
    speaking = sort_lines([*named_lines, *answering])
    rest = [line for line in others if line.key not in models]
    answers = _find_missing_answers(speaking, rest)
    passed_over = {line.key: line.name for line in answers.unsure}
    passed_over |= {key: regular[key] for key in regular if key not in models}
    return _make_cast([*speaking, *answers.sure], tuple(passed_over.values()))


def _find_missing_answers(
    named_lines: Sequence[NamedLine], others: Sequence[NamedLine]
) -> MissingAnswers:
    """Return the other lines that stand between two lines of one side, or after a last
    line of the user.

    "User: hi", "Claude: hello", "User: bye" -> Claude is sure.
    "User: hi", "Weather: fine", "User: bye" -> Weather is unsure.
    """
    answers = MissingAnswers([], [])
    sides = [likely_role(line.name) for line in named_lines]
    # A last line of the user lacks an answer as well, as if the user spoke once more.
    next_sides = [*sides[1:], "user"]
    gaps_after = find_gaps(named_lines, others)[1:]
    for side, next_side, gap in zip(sides, next_sides, gaps_after, strict=True):
        if not gap or side != next_side or side not in ("user", "assistant"):
            continue
        if _opposes(gap[0], side):
            answers.sure.append(gap[0])
        elif len(first_spellings(gap)) == 1:
            answers.unsure.append(gap[0])
    return answers


def _cast_answers(
    named_lines: Sequence[NamedLine], others: Sequence[NamedLine], side: str | None
) -> Cast:
    """Return the known side, and as the other side whoever regularly speaks first after
    it.

    "User: hi", "Anna: hello", "User: bye", "Anna: see you" -> Anna answers.
    """
    repeated = _find_repeated_names(others)
    candidates = [
        line for line in others if line.key in repeated or _opposes(line, side)
    ]
    gaps = find_gaps(named_lines, candidates)
    leaders = Counter(gap[0].key for gap in gaps if gap)
    if not leaders:
        return _cast_single_answers(named_lines, others)
    if 2 * leaders.total() < len(named_lines):
        # A name that comes now and then is a word of the text.
        return _make_cast(named_lines, tuple(repeated.values()))
    if not _is_clear_who_answers(named_lines, candidates, set(leaders)):
        return _make_cast([*named_lines, *candidates])._replace(roles=None)
    answers = [line for line in candidates if line.key in leaders]
    passed_over = [name for key, name in repeated.items() if key not in leaders]
    return _make_cast([*named_lines, *answers], tuple(passed_over))


def _is_clear_who_answers(
    named_lines: Sequence[NamedLine],
    candidates: Sequence[NamedLine],
    leaders: set[str],
) -> bool:
    """Return whether the ``leaders``, who speak first after a known line, are the other
    side. In one of these cases:

    1. There are no other candidates, and one name at most stands between two known
       lines.
    2. All of them are models: "Claude", "GPT-4o".
    3. There is only one, and no other name stands regularly between known lines.
    """
    everybody_leads = leaders == {line.key for line in candidates}
    gaps = find_gaps(named_lines, candidates)
    if everybody_leads and all(len(first_spellings(gap)) <= 1 for gap in gaps):
        return True
    if all(is_model(line) for line in candidates if line.key in leaders):
        return True
    return (
        len(leaders) == 1
        and find_regular_names(named_lines, candidates).keys() <= leaders
    )


def _cast_single_answers(
    named_lines: Sequence[NamedLine], others: Sequence[NamedLine]
) -> Cast:
    """Return everybody, unclear who is who, if each known line is followed by names
    that come once; else the known.

    "User: hi", "Anna: hello", "User: bye", "Ben: see you", "User: thanks" -> Anna and
    Ben may answer.
    """
    inner_gaps = find_gaps(named_lines, others)[1:-1]
    if inner_gaps and all(inner_gaps):
        return _make_cast([*named_lines, *others])._replace(roles=None)
    return _make_cast(named_lines)


def _take_turns(others: Sequence[NamedLine]) -> list[NamedLine]:
    """Return the lines of names that come again and take turns near the top of the
    text; none where they do not.

    "Anna: hi", "Ben: hello", "Anna: how are you?", "Ben: fine" -> all four.
    """
    people = _find_repeated_names(others)
    repeated = [line for line in others if line.key in people]
    changes = sum(line.key != after.key for line, after in pairwise(repeated))
    if len(repeated) < MIN_TURNS or 2 * changes < len(repeated) - 1:
        return []
    names_that_come_once = len(first_spellings(others)) - len(people)
    if len(people) > MAX_PEOPLE or names_that_come_once > len(repeated):
        return []
    return repeated if _count_lines_above(repeated[0]) <= MAX_LINES_ABOVE else []


def _count_lines_above(line: NamedLine) -> int:
    """Return the number of lines above that are not blank, such as a title's; a long
    text's are not counted."""
    above = line.match.string[: line.start]
    if len(above) >= MAX_CHARS_ABOVE:
        return MAX_LINES_ABOVE + 1
    return sum(1 for text in above.split("\n") if text.strip())


def _speaks(user: str, lines: Sequence[NamedLine]) -> bool:
    return any(is_same_name(line.key, user) for line in lines)


def _collect_everybody(
    named_lines: Sequence[NamedLine], others: Sequence[NamedLine], user: str
) -> Cast:
    """Return the lines of the known names, of the user, and of each name that comes
    again.

    If those are of one name only, the lines of any name. Raises
    :class:`UnclearUserError` if there are none.
    """
    repeated = _find_repeated_names(others)
    chosen = [
        line for line in others if line.key in repeated or is_same_name(line.key, user)
    ]
    cast = _make_cast([*named_lines, *chosen])
    if len(cast.names) < 2:
        cast = _make_cast([*named_lines, *others])
    if not cast.lines:
        raise no_such_user_error(user, ())
    return cast


def _make_cast(lines: Sequence[NamedLine], passed_over: tuple[str, ...] = ()) -> Cast:
    ordered = tuple(sort_lines(lines))
    return Cast(
        ordered, roles_of(tuple(first_spellings(ordered).values())), passed_over
    )


def _find_repeated_names(lines: Sequence[NamedLine]) -> dict[str, str]:
    """Return the names that start several lines, by their key."""
    counts = Counter(line.key for line in lines)
    names = first_spellings(lines)
    return {key: name for key, name in names.items() if counts[key] >= MIN_LINES}


def _opposes(line: NamedLine, side: str | None) -> bool:
    return likely_role(line.name) not in (None, side)
