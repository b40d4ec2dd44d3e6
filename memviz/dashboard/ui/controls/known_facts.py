"""The facts in force: those that a conversation brings, those proposed from it, and those that the user types in.
One answer for all pages: what Facts looks for is what Compare and Chat name as lost or kept."""

from contextlib import suppress
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.core.division import ceil_div
from memviz.core.process_memory import uncollected
from memviz.core.storage_errors import StorageError
from memviz.core.text.containment import normal_tokens
from memviz.dashboard.ui.controls.conversations import studied_conversation
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.frame import store
from memviz.dashboard.ui.shell.presence import kept_until_left
from memviz.dashboard.ui.shell.state import widget_value
from memviz.engine.run import Run
from memviz.metrics.retention.proposed_probes import propose_probes
from memviz.transcripts.base import Probe

LOGS_KEPT = 4
AT_ONCE_MESSAGES = 500
"""Facts of a longer conversation are proposed on the Facts page only: every sentence has to be read for that."""
READ_MESSAGES = 5_000
"""The messages that Facts reads of a longer conversation to propose facts."""
GROWTH_MESSAGES = 20
"""A chat that grows is read again after so many messages; what was said since is still sent word for word."""
MOST_LOOKUPS = 3_000_000
"""Facts times turns: each is looked up in every request of every setting, which takes tens of bytes each."""
Probes = tuple[Probe, ...]


class Facts(NamedTuple):
    """The probes that are looked for. ``brought`` came with the conversation, ``proposals`` could be added (and
    are, if ``with_proposals``), ``typed`` are the user's. Of more than a page can look up, one in every so many is
    taken: ``one_in``."""

    log: Log
    brought: Probes
    proposals: Probes
    typed: Probes
    with_proposals: bool
    one_in: int = 1

    @property
    def probes(self) -> Probes:
        """All that are looked for; those of the user last, so that a new one moves no other."""
        return (
            *self.brought,
            *(self.proposals if self.with_proposals else ()),
            *self.typed,
        )


def studied_facts() -> Facts:
    """The facts of the conversation that is open, with those that could be proposed. Where it brings none, these are
    taken unless they are switched off."""
    transcript, log = studied_conversation()
    chosen = with_proposals(compare_state().conversation_id, transcript.probes)
    has_facts = any(not probe.by_user for probe in transcript.probes)
    proposed: Probes = ()
    # Facts of its own are enough of a long conversation: to propose more, every sentence has to be read.
    if len(log) <= READ_MESSAGES or chosen or not has_facts:
        proposed = _proposed(log, min(len(log), READ_MESSAGES))
    return _facts(log, transcript.probes, proposed, chosen)


def known_facts(
    conversation_id: str | None, log: Log, *, grows: bool = False
) -> Probes:
    """Return the facts of a conversation for a page that only names them, without reading all of a long one. ``log``
    is the conversation as it is now, which may be longer than it was saved, and ``grows`` on in a chat."""
    saved: Probes = ()
    # None of a chat that is not saved, that was deleted, or that cannot be read: the page says so elsewhere.
    with suppress(StorageError):
        if conversation_id is not None:
            if store().entry(conversation_id).probe_count:
                saved = store().about(conversation_id).probes
    saved = tuple(
        probe for probe in saved if max(probe.evidence, default=-1) < len(log)
    )
    chosen = with_proposals(conversation_id, saved)
    length = len(log)
    if grows and length > GROWTH_MESSAGES:
        length -= length % GROWTH_MESSAGES
    proposed = _proposed(log, length) if chosen and length <= AT_ONCE_MESSAGES else ()
    return _facts(log, saved, proposed, chosen).probes


def facts_of_study(run: Run) -> Probes:
    """Return the facts of the conversation that the pages show, as far as ``run`` went through it."""
    return known_facts(compare_state().conversation_id, run.log)


def proposals_key(conversation_id: str | None) -> str:
    """The key of the switch that takes proposed facts, or leaves them out."""
    return f"retention-proposed-{conversation_id}"


def with_proposals(conversation_id: str | None, probes: Probes) -> bool:
    """Return true if proposed facts are taken: as the visitor chose, else where the conversation brings none."""
    is_switched_on = widget_value(proposals_key(conversation_id))
    return (
        all(probe.by_user for probe in probes)
        if is_switched_on is None
        else bool(is_switched_on)
    )


def _facts(log: Log, probes: Probes, proposed: Probes, chosen: bool) -> Facts:
    known_keys = set()
    for probe in probes:
        known_keys |= {
            (probe.evidence, normal_tokens(answer)) for answer in probe.answers
        }
    proposals = [
        probe
        for probe in proposed
        if (probe.evidence, normal_tokens(probe.answers[0])) not in known_keys
    ]
    brought = [probe for probe in probes if not probe.by_user]
    facts_before = len(brought)
    if chosen:
        facts_before += len(proposals)
    one_in = max(1, ceil_div(facts_before * log.turn_count, MOST_LOOKUPS))
    return Facts(
        log,
        tuple(brought[::one_in]),
        tuple(proposals[::one_in]),
        tuple(probe for probe in probes if probe.by_user),
        chosen,
        one_in,
    )


@kept_until_left(LOGS_KEPT)
def _proposed(log: Log, length: int) -> Probes:
    """Facts proposed from the first ``length`` messages."""
    with uncollected():
        return propose_probes(log if length == len(log) else Log(log[:length]))
