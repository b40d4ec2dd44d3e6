"""The use that a small model makes of what stands in its request: facts, and a rule.

    python -m benchmarks.in_the_request WEIGHTS.gguf [--to FILE]

The questions of the bundled conversation *trip* are asked at its end under a summary buffer, whose summaries are the
recorded ones of a large model: the same requests that this large model answered. Then all are asked once more with a
rule at the end of the system prompt. Written are what each request holds, its fingerprint, and the answer word for
word. Right is an answer that contains an accepted one; the rule is followed by an answer of one sentence.
"""

from __future__ import annotations

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
from memviz import Run, replay
from memviz.core.messages import Message
from memviz.core.text.sentences import split_passage
from memviz.engine.asking import ask
from memviz.engine.records import TurnRecord
from memviz.metrics.answer_scores import contains_answer
from memviz.strategies import strategy
from memviz.transcripts.base import Probe
from memviz.transcripts.samples import sample

RECORD = (
    Path(__file__).parents[1] / "memviz/dashboard/lessons/asked/in-the-request.json"
)
TITLE = "In the request, and used"
CONVERSATION = "trip"
SETTING = {"max_token_limit": 1500, "summary_words": 120}
WRITER = "recording:trip"
WINDOW_TOKENS = 4096
MOST_TOKENS = 64
RULE = "Always answer in one sentence."


@cache
def run() -> Run:
    """The trip under the summary buffer, with the recorded summaries."""
    return replay(
        sample(CONVERSATION), strategy("summary_buffer", **SETTING), model=WRITER
    )


@cache
def answered_by_large_model(probe: Probe) -> TurnRecord:
    """A question with the request that holds it, and the recorded answer of the large model."""
    return ask(run(), probe.question, model=WRITER)


def request(probe: Probe, rule: str = "") -> tuple[Message, ...]:
    """The messages of a question, with a rule behind the system prompt if there is one."""
    first, *others = answered_by_large_model(probe).context.messages
    content = f"{first.content} {rule}".rstrip()
    return Message(first.role, content), *others


def holds(messages: Sequence[Message], probe: Probe) -> bool:
    """True if a request says an accepted answer, the question apart."""
    text = "\n".join(one.content for one in messages[:-1])
    return contains_answer(text, probe.answers)


def sentences_of(reply: str) -> int:
    """The number of sentences of an answer."""
    return len(split_passage(reply).sentences)


def asked(model: SmallModel) -> Iterator[dict[str, Any]]:
    """Ask every question, without the rule and with it."""
    for rule in ("", RULE):
        for number, probe in enumerate(sample(CONVERSATION).probes):
            messages = request(probe, rule)
            reply, sent, ended = model.answer(messages, MOST_TOKENS)
            large = answered_by_large_model(probe).reply
            yield {
                "fact": number,
                "rule": bool(rule),
                "in_request": holds(messages, probe),
                "right": contains_answer(reply, probe.answers),
                "large_right": contains_answer(large, probe.answers),
                "large_reply": large,
                "sentences": sentences_of(reply),
                "reply": reply,
                "ended": ended,
                "request_tokens": sent,
                "request": fingerprint(messages),
            }


def record_of(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The record as it is written: who answered, when and how, the recipe, and the answers."""
    return {
        "about": {
            "title": TITLE,
            "model": MODEL,
            "made_on": date.today().isoformat(),
            "how": how_asked(WINDOW_TOKENS, MOST_TOKENS),
        },
        "conversation": CONVERSATION,
        "strategy": {"id": "summary_buffer", **SETTING},
        "writer": WRITER,
        "rule": RULE,
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
        for one in asked(model):
            answers.append(one)
            print(one["fact"], one["right"], one["sentences"], one["reply"], flush=True)
    write_record(given.to, record_of(answers))


if __name__ == "__main__":
    main()
