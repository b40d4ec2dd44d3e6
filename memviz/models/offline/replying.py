"""Write the reply: the statements that answer what the input asks for, and a short word
on what the input states."""

import re
from collections.abc import Callable, Iterator, Sequence

from memviz.core.messages import Message
from memviz.core.text import phrases
from memviz.core.text.sentences import Sentence, split_passage
from memviz.core.text.words import HAN, content_words, is_chinese
from memviz.models.offline.asking import Ask, Sought, asks_of
from memviz.models.offline.context_sources import Source, sources
from memviz.models.offline.matching import Match, Matches, accepts, is_ignorance
from memviz.models.offline.question import Question
from memviz.models.offline.summary_request import Entry

# "My name is Ana", "call me Ben"
_INTRODUCES = re.compile(
    r"\b(?i:my (?:full |first |last )?name(?: is|['’]s)|call me|mein name ist|ich heiße|je m['’]appelle|me llamo)\b"
    r"|(?:^|[,!.] )(?:I['’]m|I am|[Ii]ch bin|[Jj]e suis) (?!(?:German|French|English|Italian|Spanish|Dutch|British"
    r"|American|Chinese|Japanese|Indian|Irish|Swiss|Austrian|Polish|Turkish)\b)[A-Z\u00c0-\u00de][\w-]+"
    r"(?=[,.!]| [A-Z]| and | und |$)"
    r"|(?<![们你他她])我(?:的名字)?(?:叫|名叫|的名字是)(?!什么|你|他|她|了|来|去)[\u4e00-\u9fff]"
)
COVERED_THRESHOLD = 0.62
DIRECT_THRESHOLD = 0.4
"""The least share of the question that an answer covers: with the sentences around it, and by itself. With lower
thresholds it quotes sentences that merely share a topic; with higher ones it misses facts in other words."""
UPDATE_SHARE = 0.75
"""A later statement with a changed value replaces the best one if it covers at least this part of what that covers."""
PAIR_BELOW = 0.7
PAIR_THRESHOLD = 0.75
PAIR_GAIN = 0.2
"""Two statements are tried where the best one covers less than ``PAIR_BELOW``. Together they must cover
``PAIR_THRESHOLD``, and the second must add ``PAIR_GAIN`` to the first."""
PAIR_STARTS = 10
"""Only so many of the best statements are tried as the first of two: each is paired with all others."""
Summarizer = Callable[[Sequence[Entry], bool], str]
"""Makes a summary of entries; the second argument says whether it may take all the room that it has."""

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
MAX_ASKS = 4
MAX_STATEMENTS = 200
"""How much of one input is answered, and how much of it is looked through for something to acknowledge."""
MAX_QUOTED_WORDS = 24
MAX_QUOTED_HAN = 60


def find(
    question: Question, among: Sequence[Source]
) -> tuple[list[Match], frozenset[str]]:
    """Return the best statements for ``question`` (up to two), and those of its stems that nobody said."""
    if question.wants_own_name:
        introduction = _find_introduction(among)
        if introduction:
            return [introduction], frozenset()
    matches = Matches(question, among)
    able = [match for match in matches.candidates if match.direct >= DIRECT_THRESHOLD]
    fitting = []
    for match in able:
        if match.covered >= COVERED_THRESHOLD and accepts(question, match.sentence):
            fitting.append(match)
    best = _best_or_update(matches, fitting)
    # Where no single statement tells enough, two that a name links may. A question that says a name needs no link.
    if not question.has_names and (best is None or best.covered < PAIR_BELOW):
        pair = _find_pair(matches, able, best.covered if best else 0.0)
        if pair:
            return pair, matches.missing
    return [best] if best else [], matches.missing


def _find_introduction(among: Sequence[Source]) -> Match | None:
    """Return the newest sentence in which the user says a name of their own."""
    for position in reversed(range(len(among))):
        source = among[position]
        if source.kind not in ("user", "summary"):
            continue
        for index, sentence in enumerate(source.passage.sentences):
            states = not sentence.is_question and not sentence.echo
            if states and _INTRODUCES.search(sentence.text):
                return Match(source, position, index, frozenset(), covered=1.0)
    return None


def _best_or_update(matches: Matches, fitting: Sequence[Match]) -> Match | None:
    """Return the best statement, or a later one that changes its value: "500 euros", then "we raised it to 700"."""
    best = max(fitting, key=matches.score, default=None)
    if best is None or matches.question.wants_first_value:
        return best
    changes = [match for match in fitting if _changes(match, best)]
    return max(changes, key=matches.score, default=best)


def _changes(match: Match, best: Match) -> bool:
    new = match.sentence.traits
    return (
        match.order > best.order
        and new.is_change
        and not new.is_hedged
        and new.numbers != best.sentence.traits.numbers
        and match.covered >= UPDATE_SHARE * best.covered
    )


def _find_pair(matches: Matches, able: Sequence[Match], alone: float) -> list[Match]:
    """Return two statements linked by a name that the question does not say: "My dentist is Dr. Okafor", "Okafor moved
    to Ghent" answer where the dentist moved to."""
    best: list[Match] = []
    best_score = 0.0
    # Two statements have to tell clearly more than the best single one, whose share is ``alone``.
    least_together = max(PAIR_THRESHOLD, alone + PAIR_GAIN)
    by_score = sorted(able, key=matches.score, reverse=True)
    for first in by_score[:PAIR_STARTS]:
        all_names = first.sentence.traits.names
        names = [name for name in all_names if not matches.question.says(name)]
        if not names:
            continue
        for second in matches.candidates:
            together = matches.share(first.hits | second.hits)
            gain = matches.share(second.hits - first.hits)
            if together < least_together or gain < PAIR_GAIN:
                continue
            if not accepts(matches.question, second.sentence):
                continue
            text = second.sentence.text.lower()
            # Of pairs that cover as much the better second statement decides.
            score = together + PAIR_GAIN * matches.score(second)
            if score > best_score and any(name in text for name in names):
                best = [first, second]
                best_score = score
    return best


def reply_to(messages: Sequence[Message], summarized: Summarizer) -> str:
    """Return the reply to the last user message, from the other messages alone."""
    earlier = list(messages)
    text = ""
    for position in reversed(range(len(earlier))):
        if earlier[position].role == "user":
            text = earlier.pop(position).content
            break
    chinese = is_chinese(text)
    sentences = split_passage(text).sentences
    if not sentences:
        return phrases.nothing_said(chinese)
    # "Hello! My name is Ana. Where do I live?": a greeting, something told, something asked.
    courtesy = phrases.social(sentences[0].text, chinese)
    asks: list[Ask] = []
    statements: list[Sentence] = []
    for sentence in sentences[1:] if courtesy else sentences:
        ask = asks_of(sentence)
        if ask is None:
            statements.append(sentence)
        else:
            asks.append(ask)
    parts: list[str] = []
    if statements:
        parts.append(_acknowledge(statements, chinese))
    if asks:
        among = sources(earlier)
        parts.extend(_answer_all(asks[:MAX_ASKS], among, summarized, chinese))
    # A courtesy is answered only where there is nothing else to answer.
    between = "" if chinese else " "
    return between.join(parts) or courtesy or phrases.nothing_said(chinese)


def _acknowledge(statements: Sequence[Sentence], chinese: bool) -> str:
    """Return a short word on the statement that tells most."""
    most = max(
        statements[:MAX_STATEMENTS],
        key=lambda sentence: sentence.traits.informativeness,
    )
    return phrases.noted(_shorten_statement(most.text), chinese)


def _shorten_statement(text: str) -> str:
    words = text.split(" ")
    if len(words) > MAX_QUOTED_WORDS:
        return " ".join(words[:MAX_QUOTED_WORDS]) + " …"
    if HAN.search(text) and len(text) > 2 * MAX_QUOTED_HAN:
        return text[:MAX_QUOTED_HAN] + "…"
    return text


def _answer_all(
    asks: Sequence[Ask], among: Sequence[Source], summarized: Summarizer, chinese: bool
) -> list[str]:
    """Return one answer for each of ``asks``; what was quoted or admitted once is not said again."""
    answers: dict[str, None] = {}
    for ask in asks:
        answer = _answer(ask, among, summarized, chinese)
        if answer is None:
            about = ask.text if len(asks) > 1 else ""
            answer = phrases.about(about, _admit(ask, among, chinese), chinese)
        answers[answer] = None
    return list(answers)


def _answer(
    ask: Ask, among: Sequence[Source], summarized: Summarizer, chinese: bool
) -> str | None:
    """Return the quotation or the overview that answers ``ask``, or ``None``."""
    if ask.sought is Sought.OVERVIEW:
        entries = list(_entries_about(ask.topic, among))
        return phrases.overview(summarized(entries, True), chinese) if entries else None
    if ask.sought is Sought.WORK:
        return None
    matches, _ = find(Question.of(ask.text), among)
    quotes = [(match.source.kind, match.sentence.text) for match in matches]
    return phrases.answer(quotes, chinese) if quotes else None


def _entries_about(topic: frozenset[str], among: Sequence[Source]) -> Iterator[Entry]:
    """Yield the statements that are to be summarized; with a ``topic`` only sentences that have one of its words."""
    for source in among:
        if source.kind == "system":  # an instruction is nothing that was told
            continue
        for sentence in source.passage.sentences:
            is_told = not sentence.is_question and not sentence.echo
            if not is_told or is_ignorance(source, sentence):
                continue
            if not topic or topic & sentence.words:
                yield Entry(source.kind, sentence.text)


def _admit(ask: Ask, among: Sequence[Source], chinese: bool) -> str:
    """Return the reason why there is no answer: nothing was sent about it, or it would have to be worked out."""
    if ask.sought is Sought.WORK:
        return phrases.cannot_work_out(chinese)
    if ask.sought is Sought.OVERVIEW:
        words_sent = frozenset[str]().union(*(source.passage.words for source in among))
        return phrases.unknown(_spell(ask.topic - words_sent, ask.text), chinese)
    _, unsaid = find(Question.of(ask.text), among)
    missing = _spell(unsaid, ask.text)
    if missing or not among:
        return phrases.unknown(missing, chinese)
    return phrases.not_stated(chinese)


def _spell(stems: frozenset[str], question: str) -> list[str]:
    """Return the words of ``question`` whose stems are ``stems``, as it spells them; runs of Chinese characters
    whole."""
    spelled = []
    for word in dict.fromkeys(_WORD.findall(question)):
        stems_of_word = content_words(word)
        if stems_of_word and stems_of_word <= stems and not HAN.search(word):
            spelled.append(word)
    # Stems of Chinese are pairs of characters that overlap, so a character of a missing pair may belong to a word that
    # was said as well.
    missing = _find_characters(stems, question)
    missing -= _find_characters(content_words(question) - stems, question)
    marked = ""
    for index, character in enumerate(question):
        marked += character if index in missing else " "
    return spelled + list(dict.fromkeys(marked.split()))


def _find_characters(stems: frozenset[str], question: str) -> set[int]:
    """Return the places of the characters of Chinese ``stems``."""
    places: set[int] = set()
    for stem in stems:
        if HAN.search(stem):
            for match in re.finditer(re.escape(stem), question):
                places.update(range(*match.span()))
    return places
