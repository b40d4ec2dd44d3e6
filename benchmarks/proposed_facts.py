"""How many facts that matter later ``propose_probes`` finds in conversations that nobody tuned on.

    python -m benchmarks.proposed_facts [--folder FOLDER] [--limit 50] [--proposals FILE] [--missed]

The conversations of ``benchmarks/untouched_conversations`` come with a list of facts, made by somebody who had not seen
the rules. A fact is *found* if a proposal asks for its answer, for a part of it, or for more of which it is a part, out
of a message of the turn that states it. It is found *whole* if the proposals out of that turn hold all its words. Every
share comes with its 95 % interval of Wilson.

Whether a proposal is a fact that may matter later is for a reader to say: all of them are written to a file of JSON
lines, each with the sentence that states it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

from memviz import Log, Message, propose_probes
from memviz.core.text.containment import contains, normal_tokens
from memviz.core.text.sentences import split_passage
from memviz.transcripts.base import Probe

UNTOUCHED = Path(__file__).parent / "untouched_conversations"
PROPOSALS = Path(tempfile.gettempdir()) / "memviz-proposals.jsonl"
LIMIT = 50
Z = 1.959964
"""Of the 95 % interval."""
NO_WORDS = frozenset(
    "a an the at in on of for to and or is by from with her his my our their 的 了".split()
)
HEAD = "| facts | number | found | recall | 95 % interval | found whole |\n|---|---|---|---|---|---|"


class Fact(NamedTuple):
    """One fact of the list, with what the rules made of it."""

    language: str
    kind: str
    answer: str
    question: str
    is_found: bool
    is_whole: bool


class Conversation(NamedTuple):
    """One conversation: its facts, and what is proposed for it."""

    name: str
    log: Log
    facts: tuple[Fact, ...]
    proposals: tuple[Probe, ...]
    updates: int
    """Listed facts that were changed in the conversation."""
    updates_found: int
    """Those of them that are proposed with the older value as a stale answer."""


def read_conversation(path: Path, limit: int) -> Conversation:
    """Return the conversation in the file ``path`` with its proposals, held against its list of facts."""
    data = json.loads(path.read_text(encoding="utf-8"))
    log = Log([Message(one["role"], one["content"]) for one in data["messages"]])
    proposals = propose_probes(log, limit)
    facts = tuple(
        _judge_fact(fact, data["lang"], log, proposals) for fact in data["facts"]
    )
    changed = [fact for fact in data["facts"] if fact["old"]]
    with_old = [
        fact for fact in changed if any(_has_old_value(fact, one) for one in proposals)
    ]
    return Conversation(path.stem, log, facts, proposals, len(changed), len(with_old))


def _judge_fact(
    fact: dict[str, Any], language: str, log: Log, proposals: Iterable[Probe]
) -> Fact:
    turns = {fact["turn"], fact["changed_in_turn"]}
    near = [
        one.answers[0] for one in proposals if log.turn_number(one.evidence[0]) in turns
    ]
    answer = fact["answer"]
    touching = [
        asked for asked in near if contains(asked, answer) or contains(answer, asked)
    ]
    words = {word for word in normal_tokens(answer) if word not in NO_WORDS}
    proposed_words = {word for asked in touching for word in normal_tokens(asked)}
    return Fact(
        language,
        fact["kind"],
        answer,
        fact["question"],
        bool(touching),
        bool(touching) and words <= proposed_words,
    )


def _has_old_value(fact: dict[str, Any], proposal: Probe) -> bool:
    old = fact["old"]
    return any(contains(old, stale) or contains(stale, old) for stale in proposal.stale)


def wilson_interval(found: int, number: int) -> tuple[float, float]:
    """Return the bounds of the 95 % interval of the share ``found / number``."""
    share = found / number
    middle = share + Z * Z / (2 * number)
    half = Z * sqrt(share * (1 - share) / number + Z * Z / (4 * number * number))
    whole = 1 + Z * Z / number
    return (middle - half) / whole, (middle + half) / whole


def rows_of(facts: Iterable[Fact]) -> Iterator[str]:
    """Yield one line of a table in Markdown for all facts, for each language and for each kind."""
    every = list(facts)
    groups = {"all": every}
    for fact in sorted(every, key=lambda one: (one.language, one.kind)):
        groups.setdefault(f"language: {fact.language}", []).append(fact)
    for fact in sorted(every, key=lambda one: one.kind):
        groups.setdefault(f"kind: {fact.kind}", []).append(fact)
    for name, group in groups.items():
        found = sum(fact.is_found for fact in group)
        whole = sum(fact.is_whole for fact in group)
        low, high = wilson_interval(found, len(group))
        share = f"{found / len(group):.0%}"
        yield f"| {name} | {len(group)} | {found} | {share} | {low:.0%} to {high:.0%} | {whole} |"


def write_proposals(conversations: Iterable[Conversation], path: Path) -> None:
    """Write every proposal as one line of JSON, with the sentence that states it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for conversation in conversations:
            for probe in conversation.proposals:
                message = conversation.log[probe.evidence[0]]
                line = {
                    "conversation": conversation.name,
                    "message": probe.evidence[0],
                    "role": message.role,
                    "sentence": _stating_sentence(message.content, probe),
                    **probe.to_dict(),
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _stating_sentence(text: str, probe: Probe) -> str:
    sentences = [sentence.text for sentence in split_passage(text).sentences]
    return next((one for one in sentences if contains(one, probe.answers[0])), text)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=UNTOUCHED)
    parser.add_argument(
        "--limit", type=int, default=LIMIT, help="most proposals for one conversation"
    )
    parser.add_argument(
        "--proposals", type=Path, default=PROPOSALS, help="where to write the proposals"
    )
    parser.add_argument(
        "--missed",
        action="store_true",
        help="list what is missed (only of conversations to tune on)",
    )
    options = parser.parse_args()
    paths = sorted(options.folder.glob("*.json"))
    conversations = [read_conversation(path, options.limit) for path in paths]
    print(HEAD)
    print("\n".join(rows_of(fact for one in conversations for fact in one.facts)))
    proposed = [len(one.proposals) for one in conversations]
    print(
        f"\n{sum(proposed)} proposals, {min(proposed)} to {max(proposed)} for a conversation."
    )
    updates = sum(one.updates for one in conversations)
    updates_found = sum(one.updates_found for one in conversations)
    print(
        f"{updates_found} of {updates} changed facts are proposed with the older value as a stale answer."
    )
    write_proposals(conversations, options.proposals)
    if options.missed and options.folder != UNTOUCHED:
        for conversation in conversations:
            missed = [fact.answer for fact in conversation.facts if not fact.is_found]
            print(f"{conversation.name}: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
