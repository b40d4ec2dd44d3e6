"""Whether to recall earlier messages, and which: those that the input names by number, and the turns whose summaries
speak of what is asked."""

from collections.abc import Sequence

from memviz.core.text import phrases
from memviz.core.text.sentences import passage
from memviz.core.text.wording import message_position
from memviz.models.offline.context_sources import Source
from memviz.models.offline.earlier import references
from memviz.models.offline.matching import Matches
from memviz.models.offline.open_turn import OpenTurn
from memviz.models.offline.question import Question

MAX_TURNS = 3
ENTRY_THRESHOLD = 0.3
"""The least share of a question that the summary of a turn covers if that turn is recalled. It is less than an answer
needs, because a summary may name the subject and have lost what was said about it."""
LAST_N = 20


def wanted_recall(turn: OpenTurn) -> dict[str, list[int] | int] | None:
    """Arguments of the recall that may answer what nothing sent word for word answers, and of what is asked for by
    number; ``None`` for no recall."""
    by_number = [
        one
        for named in turn.named()
        for one in references(named)
        if one not in turn.earlier.absent_of(named)
    ]
    unanswered = turn.unanswered()
    turns = {number for kind, number in by_number if kind == "turn"}
    if unanswered and turn.earlier.summaries:
        turns.update(_best_turns(unanswered, turn.earlier.summaries))
    positions = {
        message_position(number) for kind, number in by_number if kind == "message"
    }
    wanted = {"turn_numbers": sorted(turns), "message_indices": sorted(positions)}
    if chosen := {name: numbers for name, numbers in wanted.items() if numbers}:
        return dict(chosen)
    return (
        {"last_n": LAST_N}
        if unanswered and not turn.earlier.summaries and turn.had_earlier_talk()
        else None
    )


def _best_turns(questions: Sequence[Question], entries: dict[int, str]) -> list[int]:
    """The turns whose entries hold the largest share of any of the questions, best first, the newer of equals."""
    among = [Source("summary", passage(text)) for text in entries.values()]
    shares = [
        max(of_entry)
        for of_entry in zip(
            *(_shares(question, among) for question in questions), strict=True
        )
    ]
    ranked = sorted(
        ((share, turn) for share, turn in zip(shares, entries, strict=True)),
        reverse=True,
    )
    return [turn for share, turn in ranked[:MAX_TURNS] if share >= ENTRY_THRESHOLD]


def _shares(question: Question, among: Sequence[Source]) -> list[float]:
    """The part of the question's weight that each source holds, in any of its sentences."""
    matches = Matches(question, among)
    held = [matches.weights.keys() & _told(source) for source in among]
    for match in matches.found:
        held[match.position] |= match.hits  # words that are meant and not said
    return [matches.share(words) for words in held]


def _told(source: Source) -> frozenset[str]:
    """The words of statements: a turn in which the same was asked before, in vain, has nothing to recall."""
    told = (
        one
        for one in source.passage.sentences
        if not one.is_question and not phrases.admits_ignorance(one.text)
    )
    return frozenset[str]().union(*(sentence.words for sentence in told))
