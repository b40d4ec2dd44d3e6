"""What summaries say beside their prompts, and what a writer's summaries are worth."""

from __future__ import annotations

import memviz
from memviz import Message
from memviz.metrics.summaries.inventions import (
    Invention,
    find_inventions,
    measure_worth,
)
from memviz.models.scripted import ScriptedModel
from memviz.transcripts.base import Probe

SAID = [
    Message("user", "The ferry to Culatra leaves at 9 and costs 4 euros."),
    Message("assistant", "Noted: Culatra, 9 o'clock, 4 euros."),
    Message("user", "Aoife brings the sandwiches."),
    Message("assistant", "Good of her."),
    Message("user", "And hats?"),
    Message("assistant", "Yes, hats."),
    Message("user", "And water?"),
    Message("assistant", "And water."),
]
FERRY = Probe("When does the ferry leave?", ("leaves at 9",), (0,), "fact")


def written(*summaries: str) -> memviz.Run:
    """A run whose memory is these summaries, one a turn."""
    strategy = memviz.strategy("summary", buffer_size=2)
    return memviz.replay(
        SAID, strategy, model=ScriptedModel([*summaries, *[summaries[-1]] * 9])
    )


def test_a_name_or_a_number_that_the_prompt_lacks_is_an_invention() -> None:
    run = written("The ferry leaves at 9 with Declan, and costs 14 euros.")
    assert find_inventions(run)[0] == Invention(1, ("Declan", "14"))


def test_what_a_later_summary_copies_counts_once_where_it_began() -> None:
    run = written("The ferry leaves at 9 with Declan.")
    assert len(run.compactions) > 1
    assert [one.version for one in find_inventions(run)] == [1]


def test_what_is_in_the_prompt_and_i_are_no_inventions() -> None:
    assert (
        find_inventions(
            written(
                "I think that Aoife takes the ferry to Culatra at 9. They bring sandwiches."
            )
        )
        == ()
    )


def test_a_writers_worth_is_what_is_known_and_what_was_made_up() -> None:
    good, bad = written("The ferry leaves at 9."), written("They like Madrid.")
    worths = [measure_worth(run, memviz.retention(run, [FERRY])) for run in (good, bad)]
    assert [(one.known, one.stated, one.words, one.invented) for one in worths] == [
        (1, 1, 5.0, 0),
        (0, 1, 3.0, 1),
    ]


def test_the_stand_in_is_a_writer_and_a_memory_without_summaries_has_none() -> None:
    window = memviz.replay(SAID, memviz.strategy("window"))
    worth = measure_worth(window, memviz.retention(window, [FERRY]))
    assert (worth.words, worth.invented, worth.stated) == (None, 0, 1)
    own = memviz.replay(SAID, memviz.strategy("summary", buffer_size=2))
    assert measure_worth(own, memviz.retention(own, [FERRY])).words
