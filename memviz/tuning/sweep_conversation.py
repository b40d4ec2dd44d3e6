"""A conversation prepared to be measured under many settings: with its facts, and counted once for all of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from memviz.core.conversation import Log
from memviz.core.counters import Counter
from memviz.core.errors import ParameterError, SweepError
from memviz.core.fingerprint import fingerprint
from memviz.core.messages import Message
from memviz.core.translation import _
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.proposed_probes import propose_probes
from memviz.metrics.retention.tool_facts import count_unmeasured_results
from memviz.transcripts.base import RULE, Probe, Transcript
from memviz.transcripts.fleet.source import Fleet
from memviz.tuning.statements import Statement, find_rules


@dataclass(frozen=True)
class SweepConversation:
    """A conversation with the facts to look for in it, and the token counts that all settings share.

    The facts are the probes of the transcript, or those that memviz proposes where it has none, and those that the user
    typed in. The token counts are pickled with the conversation, so that other processes need not count again.
    """

    title: str
    log: Log = field(repr=False)
    probes: tuple[Probe, ...] = field(repr=False)
    system_prompt: str | None = field(default=None, repr=False)
    proposed: bool = False
    """True if memviz proposed the probes."""
    tools: tuple[str, ...] = field(default=(), repr=False)
    """The schemas of the tools that are sent with every request."""
    rules: tuple[Statement, ...] = field(default=(), repr=False)
    """The rules stated in the conversation; empty unless :meth:`with_rules` has added them."""

    @classmethod
    def of(
        cls,
        transcript: Transcript,
        counter: Counter,
        log: Log | None = None,
        *,
        retention: bool = True,
    ) -> SweepConversation:
        """Return a prepared conversation.

        ``log`` is the log of the transcript, if there is one already, so that its counts are shared. Without
        ``retention`` no facts are looked for.
        """
        log = Log(transcript.messages) if log is None else log
        log.token_sums(counter)
        conversation = cls(
            transcript.title, log, (), transcript.system_prompt, tools=transcript.tools
        )
        if not retention:
            return conversation
        brought = [probe for probe in transcript.probes if not probe.by_user]
        typed = [probe for probe in transcript.probes if probe.by_user]
        proposed = () if brought else propose_probes(log)
        probes = (*brought, *proposed, *typed)
        return replace(conversation, probes=probes, proposed=bool(proposed))

    def with_rules(self) -> SweepConversation:
        """Return the conversation with the rules and decisions stated in it, such as "Never book before nine."

        Rules of the system prompt are left out: it is sent with every request, so every setting keeps them.
        """
        stated = [
            replace(statement, category=RULE)
            for statement in find_rules(self.log, ())
            if min(statement.evidence) >= self.log.system_stop
        ]
        return replace(self, rules=tuple(stated))

    @property
    def whole_system_prompt(self) -> str:
        """The text that every request begins with: the system prompt, and the first system messages of the log."""
        leading = [message.content for message in self.log[: self.log.system_stop]]
        if self.system_prompt:
            leading.insert(0, self.system_prompt)
        return "\n\n".join(leading)

    @property
    def guessed_facts(self) -> int:
        """The number of probes that memviz proposed."""
        return sum(not probe.by_user for probe in self.probes) if self.proposed else 0

    @cached_property
    def unmeasured_results(self) -> int:
        """The number of tool results if no probe comes from one, else 0: how much is not measured."""
        return count_unmeasured_results(self.log, self.probes)

    @cached_property
    def texts(self) -> ProbeTexts:
        """The places of the answers in the conversation."""
        return ProbeTexts(self.log, self.probes)

    @cached_property
    def digest(self) -> str:
        """A hash of everything in the conversation that a measurement depends on."""
        messages = [message.to_dict() for message in self.log]
        probes = [probe.to_dict() for probe in self.probes]
        content: list[object] = [self.system_prompt, messages, probes]
        if self.tools:
            content.append(self.tools)
        if self.rules:
            content.append([rule.to_dict() for rule in self.rules])
        return fingerprint(content)


def list_transcripts(conversations: Any) -> list[Transcript]:
    """Return the transcripts to sweep over; ``conversations`` are a transcript, several, or the messages of one.

    Raises :class:`memviz.core.errors.SweepError` where there is none.
    """
    if isinstance(conversations, Transcript):
        return [conversations]
    if isinstance(conversations, Fleet | str | Path):
        raise ParameterError("write", None, _("the folder that gets the results"))
    items = list(conversations)
    if not items:
        raise SweepError(
            _(
                "There is no conversation to sweep over. Give a transcript, or a list of them."
            )
        )
    transcripts = [item for item in items if isinstance(item, Transcript)]
    if transcripts:
        return transcripts
    if isinstance(conversations, Log):
        return [Transcript(tuple(conversations))]
    return [Transcript(tuple(map(Message.of, items)))]
