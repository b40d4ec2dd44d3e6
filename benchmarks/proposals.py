"""Which facts ``propose_probes`` finds, and how many of its proposals are facts that somebody stated.

    python -m benchmarks.proposals [--turns 400] [--seeds 1 2 3] [--missed] [--proposed FILE ...]

- *bundled*: the questions that come with four bundled conversations. A question is found where a proposal asks for its
  answer, or a part or more of it, out of a message that states it. What else is proposed there may be a fact as well,
  so precision is read by hand: ``--proposed`` lists what is proposed for conversations.
- *generated*: conversations with planted facts (``benchmarks/synthetic``); each is stated once and not used again.
- *phrasings*: sentences that state one fact each (``benchmarks/synthetic/phrasings.py``), in a generated conversation
  without other facts. The patterns were written with the first half in sight, and without the second. The *short* ones
  stand among as many that look alike and state nothing.
- *chats*: conversations with several facts a message (``benchmarks/synthetic/chats.py``), each of which a proposal has
  to ask for to be right.

Recall is the share of the facts that are found, precision the share of proposals that ask for a planted value.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from benchmarks.measured import measured_conversations
from benchmarks.synthetic.chats import HELD_OUT_CHATS, OTHER_HAND
from benchmarks.synthetic.generator import generate
from benchmarks.synthetic.phrasings import (
    HELD_OUT,
    HELD_OUT_SHORT,
    SHORT,
    TUNED,
    Phrasing,
)
from memviz import Log, load_transcript, propose_probes
from memviz.core.text.containment import contains
from memviz.metrics.requests.message_text import read_message
from memviz.transcripts.base import Probe, Transcript

PHRASING_TURNS = 200
_ENDS = (".", "。")
TURNS, SEEDS, LIMIT = 400, (1, 2, 3), 50
BUNDLED = "bundled: "
HEAD = "| conversation | facts | found | recall | proposed | precision |\n|---|---|---|---|---|---|"


class Found(NamedTuple):
    """What was proposed for one conversation. ``right`` proposals ask for a planted value."""

    found: tuple[Probe, ...]
    missed: tuple[Probe, ...]
    right: int
    proposed: int

    @property
    def recall(self) -> float:
        """Share of the facts that are found."""
        return len(self.found) / (len(self.found) + len(self.missed))

    def row(self, name: str) -> str:
        """One line of a table in Markdown."""
        precision = (
            "by hand"
            if name.startswith(BUNDLED)
            else f"{self.right / max(self.proposed, 1):.0%}"
        )
        facts = len(self.found) + len(self.missed)
        return f"| {name} | {facts} | {len(self.found)} | {self.recall:.0%} | {self.proposed} | {precision} |"


def measure(transcript: Transcript, limit: int) -> Found:
    """Propose facts for ``transcript`` and compare them with its own."""
    log = Log(transcript.messages)
    proposals = propose_probes(log, limit)
    found = tuple(
        probe
        for probe in transcript.probes
        if any(_same(probe, one, log) for one in proposals)
    )
    missed = tuple(probe for probe in transcript.probes if probe not in found)
    facts = Counter(at for probe in transcript.probes for at in probe.evidence)
    right = sum(
        any(
            _states(probe, one, log, facts[one.evidence[0]] > 1)
            for probe in transcript.probes
        )
        for one in proposals
    )
    return Found(found, missed, right, len(proposals))


def _same(probe: Probe, proposal: Probe, log: Log) -> bool:
    """Whether a proposal asks for what ``probe`` asks for, out of a message that states it or out of the tool result
    from which that message had it."""
    position = proposal.evidence[0]
    is_source = position in probe.evidence or log[position].role == "tool"
    return is_source and _overlap(probe.answers, proposal)


def _states(probe: Probe, proposal: Probe, log: Log, among_others: bool) -> bool:
    """Whether a proposal asks for a planted value, the middle of a chain or an older value included; of a message with
    several facts (``among_others``) for just this one."""
    if among_others:
        return proposal.evidence[0] in probe.evidence and _overlap(
            probe.answers, proposal
        )
    if proposal.evidence[0] in probe.evidence:
        return True
    return _overlap(probe.stale, proposal) and any(
        contains(read_message(log[proposal.evidence[0]]), s) for s in probe.stale
    )


def _overlap(answers: Sequence[str], proposal: Probe) -> bool:
    (asked,) = proposal.answers
    return any(contains(asked, answer) or contains(answer, asked) for answer in answers)


def with_phrasings(phrasings: Sequence[Phrasing], seed: int) -> Transcript:
    """A generated conversation in which a user also says ``phrasings``, one a turn."""
    transcript = generate(PHRASING_TURNS, seed, facts_per_100_turns=0)
    messages = list(transcript.messages)
    turns = sorted(Random(seed).sample(range(PHRASING_TURNS), len(phrasings)))
    for turn, phrasing in zip(turns, phrasings, strict=True):
        said = f"{phrasing.sentence}{' ' if phrasing.sentence.endswith(_ENDS) else chr(10)}{messages[2 * turn].content}"
        messages[2 * turn] = replace(messages[2 * turn], content=said)
    probes = tuple(
        Probe(one.sentence, (one.answer,), (2 * turn,), "single fact")
        for turn, one in zip(turns, phrasings, strict=True)
        if one.answer
    )
    return replace(transcript, messages=tuple(messages), probes=probes)


def conversations(turns: int, seeds: Sequence[int]) -> Iterator[tuple[str, Transcript]]:
    """Every conversation that is measured, with its name."""
    yield from (
        (f"{BUNDLED}{id}", transcript) for id, transcript in measured_conversations()
    )
    yield from (
        (f"generated, seed {seed}", generate(turns, seed, facts_per_100_turns=8))
        for seed in seeds
    )
    yield "tuned phrasings", with_phrasings(TUNED, seeds[0])
    yield "held-out phrasings", with_phrasings(HELD_OUT, seeds[0])
    yield "short phrasings", with_phrasings(SHORT, seeds[0])
    yield "held-out short phrasings", with_phrasings(HELD_OUT_SHORT, seeds[0])
    yield from ((f"chat: {transcript.title}", transcript) for transcript in OTHER_HAND)
    yield from (
        (f"held-out chat: {transcript.title}", transcript)
        for transcript in HELD_OUT_CHATS
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--turns", type=int, default=TURNS, help="of a generated conversation"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument(
        "--limit", type=int, default=LIMIT, help="most proposals for one conversation"
    )
    parser.add_argument(
        "--missed", action="store_true", help="list the facts that are not found"
    )
    parser.add_argument(
        "--proposed",
        nargs="+",
        metavar="FILE",
        help="list what is proposed for these conversations",
    )
    options = parser.parse_args()
    if options.proposed:
        for path in options.proposed:
            for probe in propose_probes(
                Log(load_transcript(path).messages), options.limit
            ):
                print(
                    f"{probe.evidence[0] + 1:>6}  {probe.answers[0]:24}  {probe.question}"
                )
        return
    print(HEAD)
    for name, transcript in conversations(options.turns, options.seeds):
        found = measure(transcript, options.limit)
        print(found.row(name))
        if options.missed:
            print(
                "\n".join(
                    f"    {probe.answers[0]:24}  {probe.question}"
                    for probe in found.missed
                )
            )


if __name__ == "__main__":
    main()
