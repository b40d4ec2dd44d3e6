"""The length of a text in words, and the sentence that asks for a length."""

import re

from memviz.core.text.language import language
from memviz.core.text.words import UNSPACED
from memviz.core.translation import noop

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
_WORD = re.compile(
    f"[{UNSPACED.replace(_HANGUL, '')}]|[^\\s{UNSPACED.replace(_HANGUL, '')}]+"
)
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def with_length(instruction: str, words: int) -> str:
    """Return ``instruction`` with a last sentence that asks for at most ``words`` words, in the language of the
    instruction; unchanged for 0."""
    if not words:
        return instruction
    stop, sentence = _SENTENCES.get(language(instruction), _SENTENCES[""])
    begun = instruction.rstrip()
    between = stop if begun[-1:].isalnum() else stop[1:]
    return begun + between + sentence.format(words)


def length_unit(prompt: str, words: int) -> str:
    """Return what the length in ``prompt`` was asked in: ``characters`` where its language counts those, else
    ``words``."""
    in_characters = (_SENTENCES[code][1].format(words) for code in IN_CHARACTERS)
    if any(sentence in prompt for sentence in in_characters):
        return noop("characters")
    return noop("words")


def counted_unit(text: str) -> str:
    """Return what :func:`count_words` counts in ``text`` for the most part: ``characters`` or ``words``."""
    return "characters" if language(text) in IN_CHARACTERS else "words"


def count_words(text: str) -> int:
    """Return how many words a text has, as word processors count them: what stands between spaces, and each character
    of a script that is written without spaces."""
    chunks = text.split()
    if text.isascii():
        return len(chunks)
    return sum(max(1, _words_in(chunk)) for chunk in chunks)


def _words_in(chunk: str) -> int:
    return sum(1 for word in _WORD.findall(chunk) if _LETTER_OR_DIGIT.search(word))
