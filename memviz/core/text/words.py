"""The words of a text: its content words, their number, the sentence that asks for a length in
words, and the language that its script shows.

Content words are stemmed and without function words; where nothing is spaced, they are
pairs of characters. A screen reader needs the language to pronounce the text.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from snowballstemmer.english_stemmer import EnglishStemmer

from memviz.core.text.chunks import FoundInChunks
from memviz.core.text.vocabulary import CHINESE_STOP, SAME_WORD, STOP_WORDS
from memviz.core.translation import noop

_LETTER = re.compile(r"[^\W\d_]")
SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")),
)
"""Scripts that one language is written in, or mostly so. Japanese first: it has Chinese characters as well."""
LEAST_SHARE = 0.3
"""The share of the letters of a text that have to be of a script. A name in an English
sentence makes it no Chinese text."""
READ_CHARS = 2_000
# Scripts written without spaces, and Korean, whose particles stick to the word.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
KANA = re.compile(r"[\u3040-\u30ff]")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_TOKEN = re.compile(r"[^\W_]+(?:[-.,:/'’][^\W_]+)*")
_CHINESE_STOP = re.compile(CHINESE_STOP)
_DIGIT = re.compile(r"\d")
_PARTS = re.compile(r"[-./,:]")
_SENTENCES = {
    "": (". ", "Write it in at most {} words."),
    "zh": ("。", "摘要不超过{}个字。"),
    "ja": ("。", "要約は{}文字以内で書いてください。"),
    "ko": (". ", "요약은 최대 {}단어로 작성하세요."),
}
"""The mark that ends a sentence, and the one that asks, by the language that a prompt's script shows. Where words are
not spaced, characters are what people count."""
IN_CHARACTERS = ("zh", "ja")
"""Languages whose words are not spaced."""
_HANGUL = "\uac00-\ud7af"
# "word", "字"
_WORD = re.compile(
    f"[{UNSPACED.replace(_HANGUL, '')}]|[^\\s{UNSPACED.replace(_HANGUL, '')}]+"
)
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def has_han(text: str) -> bool:
    """Return whether a text has a Chinese character."""
    return not text.isascii() and HAN.search(text) is not None


def detect_language(text: str) -> str:
    """Return ``zh``, ``ja`` or ``ko`` for a text of which a good part is written in the
    script of that language; empty for all others: the Latin and Cyrillic scripts are shared
    by too many languages."""
    letters = _LETTER.findall(text[:READ_CHARS])
    asian = "".join(letter for letter in letters if letter >= "\u1100")
    if not letters or len(asian) < LEAST_SHARE * len(letters):
        return ""
    return next((code for code, script in SCRIPTS if script.search(asian)), "")


def marking_rules() -> dict[str, Any]:
    """Return what a browser needs to mark texts with their language as :func:`detect_language`
    does: ``scripts`` as pairs of language and pattern, the ``share`` of the letters, and the
    ``chars`` that are read."""
    return {
        "scripts": [[code, script.pattern] for code, script in SCRIPTS],
        "share": LEAST_SHARE,
        "chars": READ_CHARS,
    }


def content_words(text: str) -> frozenset[str]:
    """The stems that carry the meaning of ``text``."""
    return frozenset(_WORDS.in_chunks(word_chunks(text)))


def count_content_words(text: str) -> Counter[str]:
    """The stems that carry the meaning of ``text``, with how often each stands in it."""
    return Counter(_WORDS.in_chunks(word_chunks(text)))


def word_chunks(text: str) -> list[str]:
    """The chunks of a text, in lower case, whose words :func:`words_of_chunk` gives: what stands between spaces, and
    runs of characters that nothing spaces. "Hotel 北京, please" has "hotel", ",", "please" and "北京"."""
    text = text.lower()
    if text.isascii():
        return text.split()
    runs = _UNSPACED_RUN.findall(text)
    return _UNSPACED_RUN.sub(" ", text).split() + runs


def words_of_chunk(chunk: str) -> tuple[str, ...]:
    """The stems in one of the :func:`word_chunks`; of a run of characters that nothing spaces its pairs, each once."""
    return _WORDS.by_chunk[chunk]


def _find_words(chunk: str) -> Iterator[str]:
    if _UNSPACED_RUN.match(chunk):
        yield from _find_character_pairs(chunk)
        return
    for token in _TOKEN.findall(chunk):
        if token not in STOP_WORDS:
            yield from _find_stems(token)


_WORDS = FoundInChunks(_find_words)


def is_chinese(text: str) -> bool:
    """Return whether ``text`` is mostly Chinese: Han characters, no Japanese kana, and few Latin words beside them."""
    han_count = len(HAN.findall(text))
    if not han_count or KANA.search(text):
        return False
    spaced_words = _TOKEN.findall(_UNSPACED_RUN.sub(" ", text))
    return han_count >= len(spaced_words)


def find_bridging_pairs(text: str) -> dict[str, tuple[str, str]]:
    """Character pairs of ``text`` with the pairs before and after them: one may straddle two
    words. 北京大学 gives 京大 with 北京 and 大学."""
    neighbours: dict[str, tuple[str, str]] = {}
    for run in _UNSPACED_RUN.findall(text):
        for piece in _CHINESE_STOP.split(run):
            for index in range(1, len(piece) - 2):
                before = piece[index - 1 : index + 1]
                behind = piece[index + 1 : index + 3]
                neighbours[piece[index : index + 2]] = (before, behind)
    return neighbours


def _find_character_pairs(run: str) -> frozenset[str]:
    """Pairs of neighbouring characters between function words; a character that stands alone
    counts itself: 北京市 gives 北京 and 京市."""
    pairs: set[str] = set()
    for piece in _CHINESE_STOP.split(run):
        if len(piece) == 1:
            pairs.add(piece)
        pairs.update(piece[start : start + 2] for start in range(len(piece) - 1))
    return frozenset(pairs)


def _find_stems(token: str) -> tuple[str, ...]:
    """The stems of one token. A number or code stays whole; a hyphenated word gives its parts."""
    token = token.replace("’", "'")
    if _DIGIT.search(token):
        return (SAME_WORD.get(token, token),)
    parts = (part.partition("'")[0] for part in _PARTS.split(token))
    return tuple(stem(part) for part in parts if part and part not in STOP_WORDS)


@lru_cache(maxsize=16_384)  # the words of one conversation come back in every prompt
def stem(word: str) -> str:
    """The English stem of a word in lower case, by the Snowball algorithm; irregular forms and synonyms share one."""
    if word in SAME_WORD:
        return SAME_WORD[word]
    # A stemmer keeps the word that it works on, so each call has its own: several threads stem at once. The class is
    # named because `snowballstemmer.stemmer` would use another implementation where PyStemmer is installed.
    snowball_stem: str = EnglishStemmer().stemWord(word)
    return _map_stems_of_same_words().get(snowball_stem, snowball_stem)


@cache
def _map_stems_of_same_words() -> dict[str, str]:
    """:data:`SAME_WORD` by the stems of its words, so that "purchases" is found by "purchase"."""
    return {
        EnglishStemmer().stemWord(word): shared for word, shared in SAME_WORD.items()
    }


@lru_cache(maxsize=64)  # many summaries, few instructions
def ask_for_length(instruction: str, words: int) -> str:
    """Return ``instruction`` with a last sentence that asks for at most ``words`` words, in the language of the
    instruction; unchanged for 0."""
    if not words:
        return instruction
    stop, sentence = _SENTENCES.get(detect_language(instruction), _SENTENCES[""])
    start = instruction.rstrip()
    between = stop if start[-1:].isalnum() else stop[1:]
    return start + between + sentence.format(words)


def length_unit(prompt: str, words: int) -> str:
    """Return what the length in ``prompt`` was asked in: ``characters`` where its language counts those, else
    ``words``."""
    in_characters = (_SENTENCES[code][1].format(words) for code in IN_CHARACTERS)
    if any(sentence in prompt for sentence in in_characters):
        return noop("characters")
    return noop("words")


def counted_unit(text: str) -> str:
    """Return what :func:`count_words` counts in ``text`` for the most part: ``characters`` or ``words``."""
    return "characters" if detect_language(text) in IN_CHARACTERS else "words"


def count_words(text: str) -> int:
    """Return how many words a text has, as word processors count them: what stands between spaces, and each character
    of a script that is written without spaces."""
    chunks = text.split()
    if text.isascii():
        return len(chunks)
    return sum(max(1, _count_words_of_chunk(chunk)) for chunk in chunks)


def _count_words_of_chunk(chunk: str) -> int:
    return sum(1 for word in _WORD.findall(chunk) if _LETTER_OR_DIGIT.search(word))
