"""Write the reply: answers to the questions of the input, and a short word on its statements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memviz.conversation import Message
from memviz.models.offline.answering import find
from memviz.models.offline.context_sources import Source, sources
from memviz.models.offline.question import Question
from memviz.text import phrases
from memviz.text.sentences import Sentence, passage
from memviz.text.words import HAN, content_words, is_chinese

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
MAX_QUESTIONS, MAX_STATEMENTS = 3, 200
"""How much of one input is answered, and how much of it is looked through for something to acknowledge."""
MAX_QUOTED_WORDS = 24
MAX_QUOTED_HAN = 60


def reply_to(messages: Sequence[Message]) -> str:
    """The reply to the last user message, from the other messages alone."""
    position = max((at for at, message in enumerate(messages) if message.role == "user"), default=None)
    text = messages[position].content if position is not None else ""
    chinese = is_chinese(text)
    sentences = passage(text).sentences
    if not sentences:
        return phrases.nothing_said(chinese)
    courtesy = phrases.social(sentences[0].text, chinese)
    rest = sentences[1:] if courtesy else sentences
    questions = [sentence for sentence in rest if sentence.is_question][:MAX_QUESTIONS]
    statements = [sentence for sentence in rest if not sentence.is_question]
    parts = []
    if statements:
        parts.append(_acknowledged(statements, chinese))
    if questions:
        others = sources([message for at, message in enumerate(messages) if at != position])
        parts.extend(_answers(questions, others, chinese))
    return ("" if chinese else " ").join(parts) or courtesy or phrases.nothing_said(chinese)


def _acknowledged(statements: Sequence[Sentence], chinese: bool) -> str:
    """A short word on the statement that tells most."""
    most = max(statements[:MAX_STATEMENTS], key=lambda sentence: sentence.traits.informativeness)
    return phrases.noted(_shortened(most.text), chinese)


def _shortened(text: str) -> str:
    words = text.split(" ")
    if len(words) > MAX_QUOTED_WORDS:
        return " ".join(words[:MAX_QUOTED_WORDS]) + " …"
    return text[:MAX_QUOTED_HAN] + "…" if HAN.search(text) and len(text) > 2 * MAX_QUOTED_HAN else text


def _answers(questions: Sequence[Sentence], among: Sequence[Source], chinese: bool) -> list[str]:
    """One answer a question; what was quoted or admitted once is not said again."""
    answers: list[str] = []
    for question in questions:
        found, missing = find(Question.of(question.text), among)
        if found:
            answer = phrases.answer([(match.source.kind, match.sentence.text) for match in found], chinese)
        else:
            answer = phrases.unknown(_spelled(missing, question.text), chinese)
        if answer not in answers:
            answers.append(answer)
    return answers


def _spelled(stems: frozenset[str], question: str) -> list[str]:
    """The words of ``question`` whose stems are ``stems``, as it spells them; runs of Chinese characters whole."""
    words = dict.fromkeys(_WORD.findall(question))
    spelled = [word for word in words if not HAN.search(word) and (own := content_words(word)) and own <= stems]
    inside = {
        at + step for stem in stems if HAN.search(stem) for at in _places(stem, question) for step in range(len(stem))
    }
    marked = "".join(character if at in inside else " " for at, character in enumerate(question))
    return spelled + list(dict.fromkeys(marked.split()))


def _places(part: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(part), text)]
