"""Replays that supersede older reads, beside the time to tokenize the same text once.

    python -m benchmarks.superseded_reads [--messages 6000 12000] [--again 500]

Of the results of tools in a conversation without summaries ``--again`` are files that were read before, spread over all
of it. ``times`` is how many times the tokenizing time the replay takes, tokenizing included, beside that of clearing
all but the newest three results. ``pieces`` are those of the largest request.
"""

from __future__ import annotations

import argparse
import json
from random import Random
from time import process_time

from benchmarks.replay import COUNTER, tokenize_seconds
from benchmarks.synthetic.generator import generate
from memviz import Log, Message, replay, strategy

STEPS = {
    "superseding": "supersede older reads",
    "clearing": "clear tool results, keep 3 results",
}
FILES = 50
MESSAGES_A_TURN = 4


def with_reads(count: int, again: int) -> list[Message]:
    """A conversation of so many messages, in which a tool is called in each turn."""
    random = Random(1)
    texts = [message.content for message in generate(count // 2, seed=1).messages]
    turns = count // MESSAGES_A_TURN
    reads = {*range(FILES), *random.sample(range(FILES, turns), again)}
    messages = []
    for turn in range(turns):
        asked, _, result, answer = texts[MESSAGES_A_TURN * turn :][:MESSAGES_A_TURN]
        name = "run"
        arguments = {"command": f"make {turn}"}
        if turn in reads:
            name = "read_file"
            arguments = {"path": f"{turn if turn < FILES else random.randrange(FILES)}"}
        call = {"id": f"c{turn}", "name": name, "arguments": json.dumps(arguments)}
        messages += [
            Message("user", asked),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", result, tool_call_id=call["id"]),
            Message("assistant", answer),
        ]
    return messages


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, nargs="+", default=[6000, 12_000])
    parser.add_argument("--again", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=3, help="best of so many")
    options = parser.parse_args()
    replay(with_reads(400, 20), strategy("pipeline", steps=STEPS["superseding"]))
    for count in options.messages:
        messages = with_reads(count, options.again)
        tokenizing = min(tokenize_seconds(messages) for _ in range(options.repeat))
        for name, steps in STEPS.items():
            seconds = []
            for _ in range(options.repeat):
                log = Log(messages)
                started = process_time()
                run = replay(log, strategy("pipeline", steps=steps), counter=COUNTER)
                seconds.append(process_time() - started)
            pieces = max(len(record.parts.pieces) for record in run.requests)
            times = min(seconds) / tokenizing
            print(
                f"{count:7,} messages  {name:12} {min(seconds):6.2f} s  {times:5.1f} times  {pieces} pieces"
            )


if __name__ == "__main__":
    main()
