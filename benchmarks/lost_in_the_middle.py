"""The right answers of a small model on one sentence in a text, by the length of the text and the place of it.

    python -m benchmarks.lost_in_the_middle WEIGHTS.gguf [--to FILE]

The text is what a customer says in the bundled conversation *support*, from its beginning, as many sentences as have
the length. One sentence (the needle) is put in at eleven depths, 0 % before the first sentence and 100 % behind the
last, and asked for, in three wordings. An answer is right if it contains the value. Written are the recipe of every
request, its fingerprint, and the answer word for word.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.small_model import (
    MODEL,
    SmallModel,
    fingerprint,
    how_asked,
    small_model,
    write_record,
)
from memviz.core.messages import Message
from memviz.metrics.answer_scores import contains_answer
from memviz.transcripts.samples import sample

RECORD = (
    Path(__file__).parents[1] / "memviz/dashboard/lessons/asked/lost-in-the-middle.json"
)
TITLE = "Lost in the middle"
CONVERSATION = "support"
WINDOW_TOKENS = 2048
MOST_TOKENS = 32
LENGTHS_TOKENS = (250, 500, 1000, 1500, 1900)
DEPTHS_PERCENT = tuple(range(0, 101, 10))
TOKENS_AROUND = 45
"""Of a request, for the needle, the question, the instruction and the template of the chat."""
INSTRUCTION = "Answer the question from the text, in one short sentence."
WORDINGS = (
    {
        "needle": "The locker code is 4817.",
        "question": "What is the locker code?",
        "value": "4817",
    },
    {
        "needle": "My sister's dog is called Biscuit.",
        "question": "What is my sister's dog called?",
        "value": "Biscuit",
    },
    {
        "needle": "The ferry to the island leaves at 06:45.",
        "question": "At what time does the ferry to the island leave?",
        "value": "06:45",
    },
)
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")


@cache
def filler() -> tuple[str, ...]:
    """The sentences that the needle is hidden among."""
    messages = sample(CONVERSATION).messages
    text = " ".join(one.content for one in messages if one.role == "user")
    return tuple(_SENTENCE_ENDS.split(text))


def request(
    sentences: int, depth_percent: int, wording: Mapping[str, str]
) -> tuple[Message, ...]:
    """The messages of one question: the first ``sentences`` of the filler with the needle at its depth."""
    around = filler()[:sentences]
    place = round(sentences * depth_percent / 100)
    text = " ".join([*around[:place], wording["needle"], *around[place:]])
    return (
        Message("system", INSTRUCTION),
        Message("user", f"{text}\n\nQuestion: {wording['question']}"),
    )


def sentences_within(tokens: int, model: SmallModel) -> int:
    """The number of sentences whose request has at most about so many tokens."""
    left = tokens - TOKENS_AROUND
    for number, sentence in enumerate(filler()):
        left -= model.tokens_of(sentence)
        if left < 0:
            return number
    raise ValueError(f"The filler has fewer than {tokens:,} tokens.")


def asked(model: SmallModel, lengths: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    """Ask for every needle; ``lengths`` are the sentences of each length in tokens. The deepest come first: what is
    in front of a needle is then read once for all that are asked after it."""
    for tokens, sentences in lengths.items():
        for depth in reversed(DEPTHS_PERCENT):
            for number, wording in enumerate(WORDINGS):
                messages = request(sentences, depth, wording)
                reply, sent, ended = model.answer(messages, MOST_TOKENS)
                yield {
                    "tokens": tokens,
                    "depth": depth,
                    "wording": number,
                    "right": contains_answer(reply, [wording["value"]]),
                    "reply": reply,
                    "ended": ended,
                    "request_tokens": sent,
                    "request": fingerprint(messages),
                }


def record_of(
    answers: Sequence[Mapping[str, Any]], lengths: Mapping[int, int]
) -> dict[str, Any]:
    """The record as it is written: who answered, when and how, the recipe, and the answers."""
    return {
        "about": {
            "title": TITLE,
            "model": MODEL,
            "made_on": date.today().isoformat(),
            "how": how_asked(WINDOW_TOKENS, MOST_TOKENS)
            + " The form of the request and the three wordings were chosen after a look at answers for three lengths "
            "and depths.",
        },
        "conversation": CONVERSATION,
        "instruction": INSTRUCTION,
        "wordings": WORDINGS,
        "sentences": {str(tokens): number for tokens, number in lengths.items()},
        "answers": answers,
    }


def main() -> None:
    """Ask the model and write the record."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--to", type=Path, default=RECORD)
    given = parser.parse_args()
    answers = []
    with small_model(given.weights, WINDOW_TOKENS) as model:
        lengths = {tokens: sentences_within(tokens, model) for tokens in LENGTHS_TOKENS}
        for one in asked(model, lengths):
            answers.append(one)
            print(one["tokens"], one["depth"], one["right"], one["reply"], flush=True)
    write_record(given.to, record_of(answers, lengths))


if __name__ == "__main__":
    main()
