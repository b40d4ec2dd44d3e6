"""One answer to one probe under one setting, and what a judge said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memviz.engine.calls import ReplyFacts
from memviz.engine.judge_prompt import Verdict
from memviz.engine.records import TurnRecord
from memviz.transcripts.base import Probe


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """What one run (by its number, 0-based) answered to one probe, and what the judge said of it.

    ``reply`` is ``None`` where the question failed; ``error`` then says why. With a reply, ``error`` says why
    there is no ``verdict``; both are ``None`` where nobody was to judge. ``sent_tokens`` are all tokens sent to the
    answering model, as counted. ``calls`` are its calls (the last one gave the reply), ``summaries`` those of the
    summarizer that the question made necessary, ``judging`` the judge's: more than one
    where it was asked again after a verdict that could not be read. ``record`` is the whole turn; it is not
    kept by :meth:`to_dict` and does not count when two are compared.
    """

    probe: Probe
    run: int
    reply: str | None = None
    verdict: Verdict | None = None
    error: str | None = None
    sent_tokens: int = 0
    calls: tuple[ReplyFacts, ...] = ()
    summaries: tuple[ReplyFacts, ...] = ()
    judging: tuple[ReplyFacts, ...] = ()
    record: TurnRecord | None = field(default=None, repr=False, compare=False)

    @property
    def cost_usd(self) -> float | None:
        """US dollars of all calls, the judge's too; ``None`` if any is unknown."""
        costs = [
            facts.cost_usd for facts in (*self.calls, *self.summaries, *self.judging)
        ]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON, without its record."""
        return {
            "probe": self.probe.to_dict(),
            "run": self.run,
            "reply": self.reply,
            "verdict": self.verdict,
            "error": self.error,
            "sent_tokens": self.sent_tokens,
            "calls": [facts.to_dict() for facts in self.calls],
            "summaries": [facts.to_dict() for facts in self.summaries],
            "judging": [facts.to_dict() for facts in self.judging],
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> JudgedAnswer:
        """The answer that :meth:`to_dict` described."""
        return cls(
            probe=Probe.from_dict(value["probe"]),
            run=value["run"],
            reply=value["reply"],
            verdict=value["verdict"],
            error=value["error"],
            sent_tokens=value["sent_tokens"],
            calls=tuple(map(ReplyFacts.from_dict, value["calls"])),
            summaries=tuple(map(ReplyFacts.from_dict, value["summaries"])),
            judging=tuple(map(ReplyFacts.from_dict, value["judging"])),
        )
