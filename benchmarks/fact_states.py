"""Hold what memviz says of a fact in a text against the judgement of people: ``python -m benchmarks.fact_states``.

Each pair of ``benchmarks/judged_pairs`` is a text, a fact and a verdict. The text is the one message of a conversation,
sent whole with the next request: the state of the fact there is the answer of :func:`memviz.retention`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import memviz
from benchmarks.proposed_facts import wilson_interval

TUNED = ("seen", "developed")
"""The files that rules are worked on with."""
FOLDER = Path(__file__).parent / "judged_pairs"
AIMS = {"ordinary": 0.95, "adversarial": 0.80}
"""The share of pairs that is to be judged as people do, by their kind."""


@dataclass(frozen=True)
class Pair:
    """A text, a fact and what a person says of it, with what memviz says."""

    id: str
    language: str
    kind: str
    answer: str
    text: str
    verdict: str
    """"known", "contradicted" or "lost"."""
    found: str

    @property
    def is_right(self) -> bool:
        """Whether memviz says what the person says."""
        return self.found == self.verdict


def read_pairs(name: str) -> list[Pair]:
    """Return the pairs of ``judged_pairs/<name>.jsonl`` with what memviz says of each."""
    lines = (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [_judge(json.loads(line)) for line in lines]


def state_of(question: str, answer: str, text: str) -> str:
    """Return the word of the fact's state in a request that holds ``text`` alone."""
    messages = [memviz.Message("user", text), memviz.Message("assistant", "…")]
    run = memviz.replay(messages, memviz.strategy("buffer"))
    probe = memviz.Probe(question, (answer,), (), "single fact")
    (state,) = memviz.retention(run, [probe]).state[-1]
    return memviz.FactState(int(state)).word


def _judge(line: dict[str, object]) -> Pair:
    fact, text = line["fact"], str(line["text"])
    assert isinstance(fact, dict)
    found = state_of(fact["question"], fact["answer"], text)
    return Pair(
        str(line["id"]),
        str(line["lang"]),
        str(line["kind"]),
        fact["answer"],
        text,
        str(line["verdict"]),
        found,
    )


def share(right: int, all: int) -> str:
    """Return a share with its 95 % interval, in percent."""
    low, high = wilson_interval(right, all)
    return f"{right / all:.0%} | {low:.0%} to {high:.0%}" if all else "- | -"


def table_of(pairs: Sequence[Pair]) -> str:
    """Return the table of the document: pairs judged as by the person, and precision and recall of each verdict."""
    rows = [
        "| pairs | number | as a person judges | share | 95 % interval |",
        "|---|---|---|---|---|",
    ]
    groups = {"all": list(pairs)}
    groups |= {kind: [one for one in pairs if one.kind == kind] for kind in AIMS}
    groups |= {
        f"language: {code}": [one for one in pairs if one.language == code]
        for code in ("en", "zh")
    }
    for name, group in groups.items():
        right = sum(one.is_right for one in group)
        rows.append(f"| {name} | {len(group)} | {right} | {share(right, len(group))} |")
    for verdict in ("known", "contradicted", "lost"):
        rows += _precision_and_recall(verdict, pairs)
    return "\n".join(rows)


def _precision_and_recall(verdict: str, pairs: Iterable[Pair]) -> list[str]:
    said = [one for one in pairs if one.found == verdict]
    true = [one for one in pairs if one.verdict == verdict]
    both = sum(one.is_right for one in said)
    return [
        f"| precision of *{verdict}* | {len(said)} | {both} | {share(both, len(said))} |",
        f"| recall of *{verdict}* | {len(true)} | {both} | {share(both, len(true))} |",
    ]


def main(names: Sequence[str]) -> None:
    """Print the table of each file; with ``--wrong`` the pairs of files that rules may be tuned on."""
    for name in [one for one in names if not one.startswith("-")] or [
        "untouched",
        "harder",
        *TUNED,
    ]:
        pairs = read_pairs(name)
        print(f"{name}\n\n{table_of(pairs)}\n")
        if "--wrong" in names and name in TUNED:
            for one in pairs:
                if not one.is_right:
                    print(
                        f"{one.id}: {one.verdict}, found {one.found}: {one.answer!r} in {one.text!r}"
                    )


if __name__ == "__main__":
    main(sys.argv[1:])
