"""Facts, where a prompt asks for them one by one in ``<fact>`` tags and not for a summary."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memviz.core.messages import Message
from memviz.models.offline.summarizer import best_lines, condensed_tokens
from memviz.models.offline.summary_request import Entry, entries_in, instruction_of

_FACT = re.compile(r"<fact>(.*?)</fact>", re.DOTALL)
_KNOWN = re.compile(r"<existing_facts>\n(.*?)\n</existing_facts>", re.DOTALL)
_FEWER = re.compile(r"\bfewer than (\d{1,6})\b")


class FactRequest(NamedTuple):
    """What facts are to be made of: the ``entries`` of a conversation; or, where ``fewer_than`` is given, those facts
    that are known, of which fewer are to be left."""

    entries: tuple[Entry, ...]
    fewer_than: int | None = None


def fact_request(messages: Sequence[Message]) -> FactRequest | None:
    """What facts ``messages`` ask for; ``None`` where they ask for a summary."""
    told = instruction_of(messages)
    if "<fact>" not in told:
        return None
    known = _KNOWN.search(told)
    fewer = _FEWER.search(told)
    if known is None or fewer is None:
        return FactRequest(entries_in(messages))
    facts = (Entry("summary", fact.strip()) for fact in _FACT.findall(known.group(1)))
    return FactRequest(tuple(facts), int(fewer.group(1)))


def facts(request: FactRequest, budget_tokens: int, count: Callable[[str], int]) -> str:
    """The best clauses of the conversation within ``budget_tokens``, or the best of the known facts, each a fact."""
    if request.fewer_than is None:
        chosen = best_lines(
            request.entries,
            condensed_tokens(request.entries, budget_tokens, count),
            count,
        )
    else:  # each line counts as one
        chosen = best_lines(
            request.entries,
            max(1, request.fewer_than - 1),
            lambda text: text.count("\n"),
        )
    lines = "".join(f"  <fact>{line}</fact>\n" for line in chosen)
    return f"<facts>\n{lines}</facts>" if lines else "<facts></facts>"
