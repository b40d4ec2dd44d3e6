"""Words of a sentence are a set, in another order with each start of Python: no sum of theirs may round with it."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from memviz.core.text.sentences import Sentence, split_passage
from memviz.models.offline.context_sources import Source
from memviz.models.offline.matching import Matches
from memviz.models.offline.question import Question
from memviz.models.offline.statements import Statement
from memviz.models.offline.summarizer import Candidate, rank
from memviz.models.offline.topics import topic_of

AMONG = [
    Source("user", split_passage("The ferry costs 45 euros. The hotel has rooms."))
]
WEIGHTS = {"ferri": 0.1, "hotel": 0.2, "room": 0.3, "cost": 0.7, "euro": 1.1}


def test_the_share_of_words_is_the_same_in_any_order() -> None:
    matches = Matches(Question.of("What does the ferry cost?"), AMONG)
    matches.weights = WEIGHTS
    assert len({matches.share(words) for words in permutations(WEIGHTS)}) == 1


def test_the_weights_of_a_question_are_the_same_in_any_order() -> None:
    question = Question.of("What does the ferry cost?")
    weights = set[tuple[tuple[str, float], ...]]()
    for words in permutations(WEIGHTS):
        own = {word: WEIGHTS[word] for word in words}
        found = Matches(replace(question, weights=own), AMONG).weights
        weights.add(tuple(sorted(found.items())))
    assert len(weights) == 1


def test_what_rare_words_add_to_a_weight_is_the_same_in_any_order() -> None:
    frequency = {"cost": 1, "room": 2, "hotel": 3, "ferri": 6}
    weights = set[float]()
    for words in permutations(frequency):
        candidates = []
        for number in range(8):
            sentence = Sentence(f"Remark {number}.")
            statement = Statement(sentence, 1.0, topic_of(sentence), False)
            candidates.append(Candidate(number, statement, 1.0, None))
            # A set cannot be asked for an order, so the words are a list here.
            held = [word for word in words if number < frequency[word]]
            vars(sentence)["words"] = held
        rank(candidates)
        weights.add(candidates[0].weight)
    assert len(weights) == 1
