"""Write the reply: answers to what the input asks for, and a short word on its statements."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memviz.core.messages import Message
from memviz.core.text import phrases
from memviz.core.text.sentences import Sentence, passage
from memviz.core.text.words import HAN, content_words, is_chinese
from memviz.models.offline.answering import find
from memviz.models.offline.asking import (
    Ask,
    Sought,
    asks_for_cause,
    asks_of,
    looked_up,
    needs_reasoning,
)
from memviz.models.offline.context_sources import Source, sources
from memviz.models.offline.earlier import Earlier
from memviz.models.offline.listing import MOST_LISTED, entries_about, listed
from memviz.models.offline.question import Question
from memviz.models.offline.summary_request import Entry
from memviz.models.offline.turn_numbers import Named

Summarizer = Callable[[Sequence[Entry], bool], str]
"""Makes a summary of entries; the second argument says whether it may take all the room that it has."""

_REASON = re.compile(
    r"\b(?:because|since|due to|that is why|weil|denn|parce)\b|因为", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
MAX_ASKS = 4
MAX_STATEMENTS = 200
"""How much of one input is answered, and how much of it is looked through for something to acknowledge."""
MAX_QUOTED_WORDS = 24
MAX_QUOTED_HAN = 60


class Sent(NamedTuple):
    """What a reply is made of: what was sent beside the input, and what of it was asked for by number."""

    among: Sequence[Source]
    earlier: Earlier


def reply_to(
    messages: Sequence[Message], summarized: Summarizer, earlier: Earlier
) -> str:
    """The reply to the last user message, from the other messages alone; what was said ``earlier`` by number."""
    position = max(
        (at for at, message in enumerate(messages) if message.role == "user"),
        default=None,
    )
    text = messages[position].content if position is not None else ""
    chinese = is_chinese(text)
    sentences = passage(text).sentences
    if not sentences:
        return phrases.nothing_said(chinese)
    courtesy = phrases.social(sentences[0].text, chinese)
    rest = sentences[1:] if courtesy else sentences
    asked = [(sentence, asks_of(sentence)) for sentence in rest]
    asks = [ask for _, found in asked for ask in found][:MAX_ASKS]
    statements = [sentence for sentence, found in asked if not found]
    parts = []
    if statements:
        parts.append(_acknowledged(statements, chinese))
    if asks:
        others = sources(
            [message for at, message in enumerate(messages) if at != position]
        )
        parts.extend(_answers(asks, Sent(others, earlier), summarized, chinese))
    return (
        ("" if chinese else " ").join(parts)
        or courtesy
        or phrases.nothing_said(chinese)
    )


def _acknowledged(statements: Sequence[Sentence], chinese: bool) -> str:
    """A short word on the statement that tells most."""
    most = max(
        statements[:MAX_STATEMENTS],
        key=lambda sentence: sentence.traits.informativeness,
    )
    return phrases.noted(_shortened(most.text), chinese)


def _shortened(text: str) -> str:
    words = text.split(" ")
    if len(words) > MAX_QUOTED_WORDS:
        return " ".join(words[:MAX_QUOTED_WORDS]) + " …"
    return (
        text[:MAX_QUOTED_HAN] + "…"
        if HAN.search(text) and len(text) > 2 * MAX_QUOTED_HAN
        else text
    )


def _answers(
    asks: Sequence[Ask], sent: Sent, summarized: Summarizer, chinese: bool
) -> list[str]:
    """One answer for each of ``asks``; what was quoted or admitted once is not said again."""
    answers: list[str] = []
    for ask in asks:
        answer = _answer(ask, sent, summarized, chinese)
        if answer is None:
            about = ask.text if len(asks) > 1 else ""
            answer = phrases.about(about, _admitted(ask, sent.among, chinese), chinese)
        elif asks_for_cause(ask) and not _REASON.search(answer):
            answer += ("" if chinese else " ") + phrases.cannot_work_out(chinese)
        if answer not in answers:
            answers.append(answer)
    return answers


def _answer(ask: Ask, sent: Sent, summarized: Summarizer, chinese: bool) -> str | None:
    """What can be quoted for ``ask``, or ``None``."""
    among = sent.among
    if ask.named:
        return _by_number(ask.named, sent, summarized, chinese)
    subject = looked_up(ask)
    if subject is None:
        return None
    if ask.sought is Sought.OVERVIEW:
        entries = entries_about(ask.topic, among)
        return phrases.overview(summarized(entries, True), chinese) if entries else None
    if ask.sought is Sought.LIST:
        quotes = listed(ask, among)
    else:
        quotes = [
            (match.source.kind, match.sentence.text)
            for match in find(Question.of(subject), among)[0]
        ]
    return phrases.answer(quotes, chinese) if quotes else None


def _by_number(
    named: Named, sent: Sent, summarized: Summarizer, chinese: bool
) -> str | None:
    """What was said in the turns or messages that are ``named``, and which of them do not exist."""
    those = sent.earlier.sources_of(named)
    if named.topic:
        question = Question.of(named.question)
        found = find(question, those)[0] or find(question, sent.among)[0]
        said = phrases.answer(
            [(match.source.kind, match.sentence.text) for match in found], chinese
        )
    elif named.said_by or len(those) == 1:
        quotes = [
            (source.kind, sentence.text)
            for source in those
            for sentence in source.passage.sentences
        ]
        said = phrases.answer(quotes[:MOST_LISTED], chinese)
    else:
        entries = entries_about(frozenset(), those)
        said = phrases.overview(summarized(entries, True), chinese) if entries else ""
    absent = sent.earlier.absent_of(named)
    missing = (
        phrases.no_such(absent, sent.earlier.turns, chinese)
        if absent and not (named.topic and said)
        else ""
    )
    return ("" if chinese else " ").join(
        part for part in (said, missing) if part
    ) or None


def _admitted(ask: Ask, among: Sequence[Source], chinese: bool) -> str:
    """Why there is no answer: nothing was sent about it, or it would have to be worked out."""
    said = frozenset[str]().union(*(source.passage.words for source in among))
    if ask.sought in (Sought.OVERVIEW, Sought.LIST):
        return phrases.unknown(_spelled(ask.topic - said, ask.text), chinese)
    if ask.named and not ask.named.topic:
        return phrases.not_numbered(chinese)
    question = Question.of(ask.named.question if ask.named else ask.text)
    missing = _spelled(find(question, among)[1], ask.text)
    if ask.sought is Sought.WORK or (
        needs_reasoning(ask) and not said.isdisjoint(question.weights)
    ):
        return phrases.cannot_work_out(chinese)
    if missing or not among:
        return phrases.unknown(missing, chinese)
    return phrases.not_stated(chinese, _asked_of(question, among))


def _asked_of(question: Question, among: Sequence[Source]) -> str:
    """Whom a question asks about, where sentences say it of others: "Is Ben allergic to nuts?"."""
    names = question.about.names if question.about.is_yes_or_no else frozenset[str]()
    name = next(iter(names)) if len(names) == 1 else ""
    spelled = re.search(re.escape(name), question.text, re.IGNORECASE) if name else None
    return spelled.group() if spelled else ""


def _spelled(stems: frozenset[str], question: str) -> list[str]:
    """The words of ``question`` whose stems are ``stems``, as it spells them; runs of Chinese characters whole."""
    words = dict.fromkeys(_WORD.findall(question))
    spelled = [
        word
        for word in words
        if not HAN.search(word) and (own := content_words(word)) and own <= stems
    ]
    inside = _characters(stems, question) - _characters(
        content_words(question) - stems, question
    )
    marked = "".join(
        character if at in inside else " " for at, character in enumerate(question)
    )
    return spelled + list(dict.fromkeys(marked.split()))


def _characters(stems: frozenset[str], question: str) -> set[int]:
    """Where the characters of Chinese ``stems`` stand. Of a missing word none belongs to one that was said."""
    return {
        at + step
        for stem in stems
        if HAN.search(stem)
        for at in _places(stem, question)
        for step in range(len(stem))
    }


def _places(part: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(part), text)]
