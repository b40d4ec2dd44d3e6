"""Lines that name who speaks next, in Markdown and in plain text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import NamedTuple

from memviz.core.errors import UnclearUserError
from memviz.transcripts.markdown import Fences, find_fences, skip_fenced
from memviz.transcripts.readers.texts.named_lines import (
    NamedLine,
    find_possible_lines,
    keep_first_marking,
    read_named_line,
)
from memviz.transcripts.readers.texts.speaker_pattern import find_cast
from memviz.transcripts.readers.texts.speakers import SPEAKERS, role_of
from memviz.transcripts.times import meta_with_time

_KNOWN = "|".join(sorted(SPEAKERS, key=len, reverse=True))
# Every quantifier of white space and of letters is possessive (*+): a line of a million spaces is passed over once.
_ANY = r"@?+[^\W\d_][\w.'’&+-]{0,40}+(?:[ ][\w.'’&+#-]{1,40}+){0,3}+"
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?(?:Z|[+-]\d{2}:?\d{2})?"
_TIME = rf"(?:{_DATE}(?:(?:,?[ ]{{1,2}}|T){_CLOCK})?|{_CLOCK})"
_STAMP = rf"(?:(?P<stamp>[\[(]{_TIME}[\])]|{_TIME})(?:[ \t]*+[-–—|,])?+[ \t]++)?+"  # a time before the name
_BOX = rf"(?P<stamp>\[(?:[^\W\d_]{{2,12}}[ ])?{_TIME}\])"  # as Teams writes it, maybe with the day: "[Friday 10:02 AM]"
_SIGN = r"(?:(?:[\u2600-\u27BF\U0001F000-\U0001FAFF][\uFE0F\u200D]*)+[ \t]*+)?"  # a picture before the name
_BESIDE = r"(?:[ \t]*+\([^()\n]{1,60}\))?+"  # a time, or the name of the model


def _make_patterns(names: str) -> dict[str, re.Pattern[str]]:
    label = rf"{_STAMP}{_SIGN}(?P<name>{names})(?:[ \t]++said)?+{_BESIDE}[ \t]*+"
    rest = r"[ \t]*+(?P<rest>[^\n]*)$"
    patterns = {
        "bold": rf"^[ ]{{0,3}}(?P<mark>\*\*|__){label}"
        rf"(?:[:：][ \t]*+(?P=mark)|(?P=mark){_BESIDE}(?:[ \t]*+[:：]|(?=[ \t]*+$))){rest}",
        "heading": rf"^[ ]{{0,3}}(?P<mark>\#{{1,6}})[ \t]++(?P<bold>(?:\*\*)?){label}"
        rf"(?:(?P=bold)[:：]|[:：](?P=bold)|(?P=bold)(?=[ \t]*+\#*+[ \t]*+$)){rest}",
        "plain": rf"^(?P<mark>){label}[:：](?!//){rest}",
        # The name alone behind a time in brackets, and below it what is said.
        "stamped": rf"^(?P<mark>){_BOX}[ \t]++(?P<name>{names}(?:,[ ]{_ANY})?+){_BESIDE}[ \t]*+(?P<rest>)$"
        r"(?=\n\s*+[^\s\[])",
    }
    return {
        style: re.compile(pattern, re.IGNORECASE | re.MULTILINE)
        for style, pattern in patterns.items()
    }


TEXT_STYLES = ("plain", "stamped")
"""The styles of plain text; the others are Markdown's."""
_STYLES = _make_patterns(_KNOWN)
_ANYBODY = _make_patterns(_ANY)
_NO_NAME = re.compile(r"[:\\/=]")  # behind the colon: "std::sort", "C:\", "x:=1"
ENOUGH_LINES = 2
"""Number of lines of one style that make a text a dialogue."""


class SpeakerLine(NamedTuple):
    """A line that says who speaks: the name and its role, the rest of the line after
    the name, where it starts and ends, and the time before the name. The role is empty
    where it is not clear who the user is."""

    name: str
    role: str
    rest: str
    start: int
    stop: int
    stamp: str = ""

    @property
    def person(self) -> str | None:
        """The name, if it is that of somebody and not of a role."""
        return None if role_of(self.name) else self.name

    @property
    def time(self) -> dict[str, str] | None:
        """The time before the name, as ``meta`` of a message; ``None`` where there is
        none that can be read."""
        return meta_with_time(self.stamp.strip("[]()")) or None


class Dialogue(NamedTuple):
    """The speaker lines of a text, all of one style ("bold", "heading", "plain" or
    "stamped").

    ``unclear``: those who speak, where their names do not show who the user is.
    ``passed_over``: names that start several lines and were read as words of the text.
    """

    text: str
    style: str
    lines: tuple[SpeakerLine, ...]
    fences: Fences
    unclear: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()

    @property
    def format(self) -> str:
        """The format of texts in this style."""
        return "text" if self.style in TEXT_STYLES else "markdown"


def find_dialogue(
    text: str,
    styles: Sequence[str] = tuple(_STYLES),
    enough: int = ENOUGH_LINES,
    user: str | None = None,
) -> Dialogue | None:
    """The text as a dialogue in the style of its first speaker line, or ``None`` where
    too few lines name a speaker.

    What is in a code block names nobody. The text has "\\n" as its only line end.
    ``user`` is the name under which the user speaks, if it was said; raises
    :class:`UnclearUserError` where nobody is called so.
    """
    fences = find_fences(text)
    dialogues = []
    absent = None
    for style in styles:
        named_lines = _keep_alike(skip_fenced(_STYLES[style].finditer(text), fences))
        anybody = find_possible_lines(
            named_lines, _find_any_speakers(text, style, fences)
        )
        try:
            cast = (
                find_cast(named_lines, anybody, user)
                if named_lines or anybody
                else None
            )
        except UnclearUserError as error:
            absent = error
            continue
        if cast and len(cast.lines) >= enough:
            sureness = 2
            if cast.roles:
                sureness = 0 if named_lines else 1
            dialogues.append((sureness, cast.lines[0].start, style, cast))
    if not dialogues:
        if absent:
            raise absent
        return None
    _, _, style, cast = min(dialogues, key=lambda entry: entry[:2])
    roles = {name.casefold(): role for name, role in (cast.roles or {}).items()}
    lines = tuple(_make_line(line, roles.get(line.key, "")) for line in cast.lines)
    return Dialogue(
        text, style, lines, fences, () if cast.roles else cast.names, cast.passed_over
    )


def names_at_line_starts(text: str) -> list[str]:
    """The names at the start of lines of plain text that may be speakers, as often as
    they come, without labels."""
    fences = find_fences(text)
    return [
        line.name
        for style in TEXT_STYLES
        for line in find_possible_lines((), _find_any_speakers(text, style, fences))
    ]


def _find_any_speakers(
    text: str, style: str, fences: Fences
) -> Iterator[re.Match[str]]:
    matches = skip_fenced(_ANYBODY[style].finditer(text), fences)
    return (match for match in matches if not _NO_NAME.match(match["rest"]))


def _keep_alike(matches: Iterable[re.Match[str]]) -> list[NamedLine]:
    """The matches that look like the first ones. The others are text: answers have
    their own headings and bold words.

    Every name has to have the heading level of its own first use, and the letter case
    of the first name, unless it takes turns with it. If "User" speaks, "Question" is a
    word of the text.
    """
    alike = _keep_one_case(list(matches))
    speakers = [SPEAKERS[match["name"].lower()] for match in alike]
    ours = {speaker.role for speaker in speakers if speaker.asks == speakers[0].asks}
    lines = []
    for match, speaker in zip(alike, speakers, strict=True):
        if speaker.asks == speakers[0].asks or speaker.role not in ours:
            lines.append(read_named_line(match))
    lines = keep_first_marking(lines)
    if _states_model(lines):
        return lines[1:]
    return lines


def _keep_one_case(matches: list[re.Match[str]]) -> list[re.Match[str]]:
    """The matches with the letter case of the first one, and those of the other case
    that take turns with them.

    Where only one side has that case, each line that answers the line above it belongs
    here ("User: hi", "assistant: fine"). Where both have it, a line that stands alone
    between two lines of the other side does.
    """
    is_first_case = [
        match["name"].islower() == matches[0]["name"].islower() for match in matches
    ]
    sides = [_side_of(match, matches[0]) for match in matches]
    present = set(compress(sides, is_first_case)) - {""}
    lines = []
    last = ""
    for index, side in enumerate(sides):
        takes_turn = bool(side and last) and side != last
        if takes_turn and len(present) > 1:
            # It has to stand alone between two lines of the other side.
            next_is_first = any(is_first_case[index + 1 : index + 2])
            takes_turn = next_is_first and sides[index + 1] == last
        if is_first_case[index] or takes_turn:
            lines.append(matches[index])
            last = side
    return lines


def _side_of(match: re.Match[str], first: re.Match[str]) -> str:
    """Return whether the user or the assistant speaks; empty for any other role, and
    for a name of another kind of dialogue than the first one's."""
    speaker = SPEAKERS[match["name"].lower()]
    is_same_kind = speaker.asks == SPEAKERS[first["name"].lower()].asks
    is_side = is_same_kind and speaker.role in ("user", "assistant")
    return speaker.role if is_side else ""


def _states_model(lines: Sequence[NamedLine]) -> bool:
    """Return whether the first line only states which model was used ("Model:
    gpt-4o")."""
    names = [line.key for line in lines]
    if names[:1] != ["model"] or "model" in names[1:]:
        return False
    return any(SPEAKERS[name].role == "assistant" for name in names[1:])


def _make_line(line: NamedLine, role: str) -> SpeakerLine:
    match = line.match
    rest = line.match["rest"]
    if match["mark"].startswith("#"):  # hashes may close a heading
        bare = rest.rstrip().rstrip("#")
        rest = bare.rstrip() if not bare or bare[-1] in " \t" else rest
    stamp = match["stamp"] or ""
    return SpeakerLine(line.name, role, rest, match.start(), match.end(), stamp)
