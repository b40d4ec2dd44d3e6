"""Text into sentences, each with its content words; cached, because a chat sends the same texts again and again."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

from memviz.core.text import phrases
from memviz.core.text.traits import Traits
from memviz.core.text.vocabulary import ABBREVIATIONS, CHANGE_WORDS, NUMBER_WORDS, words
from memviz.core.text.words import HAN, content_words, stem

MAX_FACTS = 500


def list_json_facts(text: str) -> list[str]:
    """One line ``key key: value`` for each value of the JSON object or list ``text``: ``user
    name: Ana`` for ``{"user": {"name": "Ana"}}``. Empty for any other text."""
    try:
        return list(islice(_list_facts(json.loads(text), ()), MAX_FACTS))
    except (ValueError, RecursionError):
        return []


def _list_facts(value: object, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _list_facts(item, (*path, str(key).replace("_", " ")))
    # A list of plain values is one fact; of objects each tells its own.
    elif isinstance(value, list) and any(map(_is_nested, value)):
        for item in value:
            yield from _list_facts(item, path)
    elif value is not None and value != "" and value != []:
        items = value if isinstance(value, list) else [value]
        words = ", ".join(map(str, items))
        yield f"{' '.join(path)}: {words}" if path else words


def _is_nested(value: object) -> bool:
    return isinstance(value, dict | list)


MAX_TEXT_CHARS = 200_000
"""The longest text that is read as a whole; of a longer one the beginning and the end, half
each."""
MAX_SENTENCES = 10_000
MAX_SENTENCE_CHARS = 400
CACHED_TEXT_CHARS = 20_000
"""Longer texts are few and large, so only the newest of them are kept."""
MOST_SENTENCES_KEPT = 32_768
"""A sentence comes back in summary after summary, and people repeat themselves. With all that was
seen in it a sentence may take 7 KB. Twice as many make a replay of 15,000 messages no faster; one
of 40,000 reads 2 % of its sentences again."""

# The end of 'He said "no."' and of 好。 It begins with one set of marks, which a pattern
# is searched for far faster than for one of two.
_SENTENCE_END = re.compile(
    r"""[.!?…؟।。！？](?:(?<=[.!?…؟।])[.!?…؟।]*["'”’»)\]*_]*(?=\s)|(?<=[。！？])[。！？]*["'”’」』）]*)"""
)
# " Januar"
_MONTH_FOLLOWS = re.compile(
    r" (?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b"
)
# "# ", "> - ", "2) " before the words of a line
_LINE_DECORATION = re.compile(r"^(?:[#>|\s]+|[-*+•–]\s+|\(?\d{1,2}[.)]\s+)+")
_CODE_MARK_BETWEEN = re.compile(r"(?<=[^\W_])`+(?=[^\W_])")
"""What is set as code is a word of its own, and stays one without its marks."""
# "**" of "**bold**"; between digits it belongs to a number: 2**10
_MARKUP = re.compile(r"(?<!\d)(?:\*\*|__|`+)|(?:\*\*|__|`+)(?!\d)")
_CELL_EDGE = re.compile(r"\s*\|\s*")
_ENDINGS = tuple(".!?…。！？：；:;\"'”’»」』)）")
_RULER = re.compile(r"[\s|:=_*~-]*")
_VALUE_STEMS = frozenset(map(stem, CHANGE_WORDS | NUMBER_WORDS))
_QUESTION_MARKS = ("?", "？", "؟")
_MAY_ASK = words(
    """and so hey now also then but please in at on by for from to can could would do tell
    what who whose where when why how which"""
)
_AUXILIARY = (
    "(?:is|are|was|were|am|do|does|did|will|would|should|can|could|has|have|had)"
)
# "Can you tell", "do you remember", "and what is", "how much", "which hotel did we"
_ASKS = re.compile(
    rf"""(?:please\ |and\ |so\ |hey,?\ |now,?\ |also\ |then\ |but\ )*
    (?: (?:can|could|would)\ you\ (?:please\ )?(?:tell|remind|repeat|recall|give)\b
      | do\ you\ (?:still\ )?(?:remember|recall|know)\b
      | tell\ me\b
      | (?:in\ |at\ |on\ |by\ |for\ |from\ |to\ )?
        (?: (?:what|who|whose|where|when|why)(?:'s|\ {_AUXILIARY})\b
          | how\ (?:\w+\ ){{0,2}}{_AUXILIARY}\ |how\ (?:much|many)\b
          | (?:what|which|whose)\ (?!\w+s\ )(?:\w+\ ){{1,3}}{_AUXILIARY}\ (?:i|you|we|my|our|the|it|they|he|she)\b
        )
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# 请告诉我, 你还记得, 多少, 在哪里
_CHINESE_ASKS = re.compile(
    r"(?:请)?(?:告诉我|提醒我|你?还?记得)|.*(?:什么|多少|谁|哪[里儿天个位些]|几[点号个位天]|吗|呢)$"
)


@dataclass(frozen=True)
class Sentence:
    """One sentence without markup. ``echo`` marks a quotation in a reply of the offline model."""

    text: str
    echo: bool = False

    @cached_property
    def words(self) -> frozenset[str]:
        """The content stems. Most sentences of a long conversation are never asked for them."""
        return content_words(self.text)

    @cached_property
    def traits(self) -> Traits:
        """The marks of the sentence: numbers, dates, names, and how informative it is."""
        return Traits.of(self.text)

    @cached_property
    def subject(self) -> frozenset[str]:
        """The words without numbers, months, weekdays and words of change: what a stale fact and its update share."""
        return frozenset(
            word for word in self.words - _VALUE_STEMS if not word[0].isdigit()
        )

    @cached_property
    def is_question(self) -> bool:
        """Return whether the sentence asks."""
        return is_question(self.text)

    @cached_property
    def ended(self) -> str:
        """The sentence with a full stop where it has no end, so that the next sentence can follow it."""
        if self.text.endswith(_ENDINGS):
            return self.text
        return self.text + ("。" if HAN.match(self.text[-1]) else ".")


@dataclass(frozen=True)
class Passage:
    """The sentences of one text."""

    sentences: tuple[Sentence, ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the sentences together."""
        return frozenset().union(*(sentence.words for sentence in self.sentences))


def is_question(text: str) -> bool:
    """Return whether a sentence ends with a question mark, begins like a question, or asks to be reminded."""
    bare = text.rstrip("\"'”’」』）)]*_ ")
    if bare.endswith(_QUESTION_MARKS):
        return True
    if not text.isascii() and _CHINESE_ASKS.match(bare):
        return True
    first_word, _, _ = bare[:40].partition(" ")
    # "What's", "Now,": to look up the first word is faster than the pattern.
    if first_word.rstrip(",'’s").lower() in _MAY_ASK and _ASKS.match(bare):
        return True
    return "remind me" in text or "Remind me" in text


def split_passage(text: str) -> Passage:
    """The sentences of ``text``."""
    if len(text) <= CACHED_TEXT_CHARS:
        return _short_passage(text)
    return _long_passage(text)


def _read(text: str) -> Passage:
    return Passage(tuple(map(_read_sentence, islice(_split(text), MAX_SENTENCES))))


_short_passage = lru_cache(maxsize=2048)(_read)
_long_passage = lru_cache(maxsize=16)(_read)


def _read_sentence(text: str) -> Sentence:
    inner = phrases.find_quotation(text)
    return Sentence(inner, echo=True) if inner else parse_sentence(text)


@lru_cache(maxsize=MOST_SENTENCES_KEPT)
def parse_sentence(text: str) -> Sentence:
    """The sentence ``text``. What is seen in it is looked for once, however often it is said."""
    return Sentence(text)


def _split(text: str) -> Iterator[str]:
    # Of a text that is too long the beginning and the end, where most is told.
    if len(text) > MAX_TEXT_CHARS:
        text = text[: MAX_TEXT_CHARS // 2] + "\n" + text[-MAX_TEXT_CHARS // 2 :]
    # Results of tools are often JSON, which is read as "name: value" for each of its values.
    if text.lstrip().startswith(("{", "[")):
        facts = list_json_facts(text)
        if facts:
            yield from facts
            return
    for line in text.splitlines():
        line = _clean_line(line)
        if not line:
            continue
        start = 0
        for match in _SENTENCE_END.finditer(line):
            stop = match.end()
            if _ends_here(line, start, match.start(), stop):
                yield from _cut_long(line[start:stop].strip())
                start = stop
        if start < len(line):
            yield from _cut_long(line[start:].strip())


def remove_markup(text: str) -> str:
    """``text`` line by line as its sentences are read, without the marks of Markdown."""
    return "\n".join(map(_clean_line, text.split("\n")))


def _clean_line(line: str) -> str:
    line = line.strip(" \t|")
    if not line[:1].isalpha():
        if _RULER.fullmatch(line):
            return ""
        line = _LINE_DECORATION.sub("", line)
    if "*" in line or "_" in line or "`" in line:
        line = _MARKUP.sub("", _CODE_MARK_BETWEEN.sub(" ", line))
    return _CELL_EDGE.sub(", ", line) if "|" in line else line


def _ends_here(line: str, start: int, mark: int, stop: int) -> bool:
    """Return whether the sentence from ``start`` on ends with the marks from ``mark`` to
    ``stop``: not after an abbreviation, an initial, or where the text goes on in lower case."""
    if line[mark] != ".":
        return True
    following = line[stop : stop + 3].lstrip()
    if following[:1].islower():
        return False
    first = max(start, mark - 12, line.rfind(" ", start, mark) + 1)
    word = line[first:mark].lstrip("(\"'“")
    if word.lower() in ABBREVIATIONS:
        return False
    is_initial = len(word) == 1 and word.isalpha() and word != "I"
    if is_initial:
        return False
    # am 26. Juni
    return not (word.isdigit() and _MONTH_FOLLOWS.match(line, stop))


def _cut_long(sentence: str) -> Iterator[str]:
    """The sentence, cut at spaces if it is too long to be quoted."""
    while len(sentence) > MAX_SENTENCE_CHARS:
        stop = sentence.rfind(" ", MAX_SENTENCE_CHARS // 2, MAX_SENTENCE_CHARS)
        if stop < 0:
            stop = MAX_SENTENCE_CHARS
        yield sentence[:stop].strip()
        sentence = sentence[stop:].strip()
    if sentence:
        yield sentence
