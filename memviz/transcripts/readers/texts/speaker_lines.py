"""Lines that name who speaks next, in Markdown and in plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memviz.transcripts.code_fences import Fences, find_fences, outside
from memviz.transcripts.readers.texts.speakers import SPEAKERS

_NAMES = "|".join(sorted(SPEAKERS, key=len, reverse=True))
# Every quantifier of white space is possessive (*+): a line of a million spaces is passed over once.
_SIGN = r"(?:(?:[\u2600-\u27BF\U0001F000-\U0001FAFF][\uFE0F\u200D]*)+[ \t]*+)?"  # a picture before the name
_BESIDE = r"(?:[ \t]*+\([^()\n]{1,60}\))?+"  # a time, or the name of the model
_LABEL = rf"{_SIGN}(?P<name>{_NAMES})(?:[ \t]++said)?+{_BESIDE}[ \t]*+"
_REST = r"[ \t]*+(?P<rest>[^\n]*)$"
_PATTERNS = {
    "bold": rf"^[ ]{{0,3}}(?P<mark>\*\*|__){_LABEL}"
    rf"(?:[:：][ \t]*+(?P=mark)|(?P=mark){_BESIDE}(?:[ \t]*+[:：]|(?=[ \t]*+$))){_REST}",
    "heading": rf"^[ ]{{0,3}}(?P<mark>\#{{1,6}})[ \t]++(?P<bold>(?:\*\*)?){_LABEL}"
    rf"(?:(?P=bold)[:：]|[:：](?P=bold)|(?P=bold)(?=[ \t]*+\#*+[ \t]*+$)){_REST}",
    "plain": rf"^(?P<mark>){_LABEL}[:：](?!//){_REST}",
}  # fmt: skip
_STYLES = {style: re.compile(pattern, re.IGNORECASE | re.MULTILINE) for style, pattern in _PATTERNS.items()}
ENOUGH_LINES = 2
"""So many lines of one style make a text a dialogue."""


class SpeakerLine(NamedTuple):
    """A line that says who speaks: the role, the rest of the line after the name, and where it starts and ends."""

    role: str
    rest: str
    start: int
    stop: int


class Dialogue(NamedTuple):
    """The speaker lines of a text, all of one style ("bold", "heading" or "plain")."""

    text: str
    style: str
    lines: tuple[SpeakerLine, ...]
    fences: Fences


def dialogue(text: str, styles: Sequence[str] = tuple(_STYLES), enough: int = ENOUGH_LINES) -> Dialogue | None:
    """The text as a dialogue in the style of its first speaker line, or ``None`` where too few lines name a speaker.

    What is in a code block names nobody. The text has "\\n" as its only line end.
    """
    fences = find_fences(text)
    found = {style: _lines(outside(_STYLES[style].finditer(text), fences)) for style in styles}
    many = [(lines[0].start, style) for style, lines in found.items() if len(lines) >= enough]
    return Dialogue(text, min(many)[1], tuple(found[min(many)[1]]), fences) if many else None


def _lines(matches: Iterable[re.Match[str]]) -> list[SpeakerLine]:
    """The matches that look like the first ones. The others are text: answers have their own headings and bold words.

    Every name has to have the letter case of the first one, and the heading level of its own first use. If "User"
    speaks, "Question" is a word of the text.
    """
    alike = list(matches)
    alike = [match for match in alike if match["name"].islower() == alike[0]["name"].islower()]
    speakers = [SPEAKERS[match["name"].lower()] for match in alike]
    ours = {speaker.role for speaker in speakers if speaker.asks == speakers[0].asks}
    found: list[re.Match[str]] = []
    first_mark: dict[str, str] = {}
    for match, speaker in zip(alike, speakers, strict=True):
        is_ours = speaker.asks == speakers[0].asks or speaker.role not in ours
        if is_ours and first_mark.setdefault(match["name"].lower(), match["mark"]) == match["mark"]:
            found.append(match)
    return [_line(match) for match in found[_says_which_model(found) :]]


def _says_which_model(matches: Sequence[re.Match[str]]) -> bool:
    """Whether the first line only states which model was used ("Model: gpt-4o")."""
    names = [match["name"].lower() for match in matches]
    others = {SPEAKERS[name].role for name in names if name != "model"}
    return names[:1] == ["model"] and names.count("model") == 1 and "assistant" in others


def _line(match: re.Match[str]) -> SpeakerLine:
    rest = match["rest"]
    if match["mark"].startswith("#"):  # hashes may close a heading
        bare = rest.rstrip().rstrip("#")
        rest = bare.rstrip() if not bare or bare[-1] in " \t" else rest
    return SpeakerLine(SPEAKERS[match["name"].lower()].role, rest, match.start(), match.end())
