"""Short conversations of which the older value is proposed as stale: ``python -m benchmarks.changed_facts``.

The conversations of ``judged_pairs/changes.jsonl`` are those that the rules were worked on with.
"""

from __future__ import annotations

import json

from benchmarks.fact_states import FOLDER, share
from memviz import Message, propose_probes
from memviz.core.text.containment import contains

CLOSING = (Message("user", "Thanks, what else?"), Message("assistant", "Nothing."))


def is_stale(older: str, texts: list[str]) -> bool:
    """Return whether a fact is proposed of which ``older`` is a stale answer; user and assistant speak in turn."""
    roles = ["user", "assistant"] * len(texts)
    said = [Message(role, text) for role, text in zip(roles, texts, strict=False)]
    stale = [one for probe in propose_probes([*said, *CLOSING]) for one in probe.stale]
    return any(contains(older, one) or contains(one, older) for one in stale)


def main() -> None:
    lines = (FOLDER / "changes.jsonl").read_text("utf-8").splitlines()
    found = 0
    for line in lines:
        case = json.loads(line)
        right = is_stale(case["older"], case["messages"])
        found += right
        if not right:
            print(f"missed: {case['older']}, then {case['newer']}")
    print(f"{found} of {len(lines)}: {share(found, len(lines))}")


if __name__ == "__main__":
    main()
