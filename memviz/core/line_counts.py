"""Count a text line by line, and remember each line: prompts of summarizers repeat most of their lines.

A sweep replays one conversation under hundreds of settings, and every summarization sends a prompt that has to be
counted. Each prompt is new as a whole, but hardly a line of it is: the messages are those that the prompts of other
settings hold as well, and the summary was counted when it was written. Tokenizing them again and again took about
30 % of a realistic sweep (``benchmarks/sweeping.py``), which is what this file saves. The price is that lines may only
be counted apart where the sum is exactly what the tokenizer gives for the whole text. Hence the care about where a
text is cut; ``tests/core/test_counters.py`` compares both ways of counting on generated texts.
"""

import re
from collections.abc import Callable
from functools import lru_cache

LINES = re.compile(r"\n(?=[A-Za-z<])")
"""The places where a text is cut into lines: no tokenizer of memviz joins a line break to the letter or the ``<``
that follows."""
SENTENCE_END = re.compile(r"\.(?= [A-Za-z0-9])")
"""The place where a line is cut after its first sentence: every tokenizer of memviz begins a token with a space like
this one."""
MAX_LINES_KEPT = 65_536
MAX_RESTS_KEPT = 16_384


class LineCounts:
    """The units of texts under one counting function, with the lines that were counted before.

    ``units`` counts a text. Lines longer than ``max_chars`` are counted as a whole, since ``units`` itself cuts
    texts of that length.
    """

    def __init__(self, units: Callable[[str], int], max_chars: int) -> None:
        self._count = units
        self._max_chars = max_chars
        self._units_of_line = lru_cache(maxsize=MAX_LINES_KEPT)(self._count_line)
        self._units_of_last = lru_cache(maxsize=MAX_LINES_KEPT)(self._count_halves)
        self._units_of_rest = lru_cache(maxsize=MAX_RESTS_KEPT)(units)
        self._units_of_break = lru_cache(maxsize=MAX_RESTS_KEPT)(self._count_break)

    def units(self, text: str) -> int:
        """Return the units of ``text``, exactly as many as counting it as a whole gives, up to ``max_chars``."""
        *lines, last = LINES.split(text)
        if not lines:  # a summary or a part of one: not worth a place among the lines
            return self._count_halves(last)
        return sum(map(self._units_of_line, lines)) + self._units_of_last(last)

    def _count_line(self, line: str) -> int:
        """Return the units of a line and its line break, before the letter or ``<`` that begins the next line."""
        # White space at the end of the line and the line break become one token together, so nothing can be cut off
        # there. The "a" stands for the next line: which letter it is makes no difference, nor that it is a "<".
        if not line or line[-1].isspace() or len(line) > self._max_chars:
            return self._count(line + "\na") - self._count("a")
        return self._count_halves(line) + self._units_of_break(
            line[max(0, line.rfind(" ")) :]
        )

    def _count_break(self, word: str) -> int:
        """Return the units that a line break adds after ``word``, the last of a line with
        the space before it."""
        # Not always 1: a tokenizer joins the line break to a word of signs (")\n" is one token), and whether it does
        # depends on the space before the word. Few words end lines, so this is nearly always remembered.
        with_break = self._count(word + "\na")
        without_break = self._count(word) + self._count("a")
        return with_break - without_break

    def _count_halves(self, line: str) -> int:
        """Return the units of a line: those of its first sentence, and those of the rest."""
        # The rest is worth remembering by itself: the same summary is counted alone, and again in a prompt or request
        # where other words come before it ("system: Previous summary: ...", "Summary of earlier conversation: ...").
        first_end = SENTENCE_END.search(line)
        if first_end is None or len(line) > self._max_chars:
            return self._count(line)
        return self._count(line[: first_end.end()]) + self._units_of_rest(
            line[first_end.end() :]
        )
