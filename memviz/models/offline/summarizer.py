"""Extractive summaries: clauses that state something, the best within a token budget, in their own order.

Of what was said (:mod:`.statements`) an older state of a fact is left out (:mod:`.topics`). The rest is ranked by
what it tells in how many words (:mod:`.worth`), and the best are taken, of two that say the same only one
(:mod:`.choosing`). A clause that points back brings the one before it along. Where several are left they are a list,
one fact a line.
"""

from collections.abc import Callable, Iterable, Sequence

from memviz.models.offline.choosing import Candidate, candidates_of, choose, ranked
from memviz.models.offline.summary_request import Entry, Style

COMPRESSION = 3
FREE_TOKENS = 48
"""New text is brought down to a third of its tokens, but the first 48 need not be cut."""
EMPTY_SUMMARY = "Nothing was said."
"""The summary of messages without text: an empty one would count as a failure."""


def summarize(
    entries: Sequence[Entry],
    budget_tokens: int,
    count: Callable[[str], int],
    *,
    fill: bool = False,
    style: Style = Style.LIST,
) -> str:
    """The summary of ``entries`` in at most ``budget_tokens`` tokens (of whatever ``count`` counts), never empty.
    A short text is brought down below the budget, unless it is to ``fill`` it."""
    room_tokens = (
        budget_tokens if fill else condensed_tokens(entries, budget_tokens, count)
    )
    lines = best_lines(entries, room_tokens, count, style)
    if not lines:
        text = " ".join(" ".join(entry.text for entry in entries).split())
        return truncated(text or EMPTY_SUMMARY, budget_tokens, count)
    text = written(lines, style)
    return truncated(text, room_tokens, count) if len(lines) == 1 else text


def best_lines(
    entries: Sequence[Entry],
    room_tokens: int,
    count: Callable[[str], int],
    style: Style = Style.LIST,
) -> list[str]:
    """The most informative clauses that fit into ``room_tokens`` together, in their order, each with the one that it
    points back to; one that is larger where none fits, and none where nothing is stated."""
    candidates = candidates_of(entries)
    line = "- {}\n" if style is Style.LIST else "{} "
    chosen = (
        choose(
            ranked(candidates), room_tokens, lambda one: count(line.format(one.ended))
        )
        if candidates
        else []
    )
    while True:
        lines = _lines(sorted(chosen, key=lambda one: one.position))
        if len(chosen) < 2 or count(written(lines, style)) <= room_tokens:
            return lines
        _drop_least(chosen)  # joining can cost a token or two more than the sum says


def _drop_least(chosen: list[Candidate]) -> None:
    """Take out what was chosen last, and what points back to it."""
    least = chosen.pop()
    chosen[:] = [one for one in chosen if one.leader is not least]


def condensed_tokens(
    entries: Sequence[Entry], budget_tokens: int, count: Callable[[str], int]
) -> int:
    """The budget, or less where what is to be summarized is short."""
    return min(budget_tokens, _target_tokens(entries, count))


def _target_tokens(entries: Sequence[Entry], count: Callable[[str], int]) -> int:
    """What the earlier summary held plus a share of what is new."""
    sizes = [(entry.role, count(entry.text)) for entry in entries]
    carried = sum(tokens for role, tokens in sizes if role == "summary")
    return carried + max(
        FREE_TOKENS,
        sum(tokens for role, tokens in sizes if role != "summary") // COMPRESSION,
    )


def _lines(chosen: Iterable[Candidate]) -> list[str]:
    """One line a clause; what points back stands behind what it points to."""
    lines: list[str] = []
    for candidate in chosen:
        text = candidate.sentence.ended
        if candidate.leader is not None and lines:
            lines[-1] = _joined([lines[-1], text])
        else:
            lines.append(text)
    return lines


def written(lines: Sequence[str], style: Style) -> str:
    """Several lines as a list, or as sentences; a single one as it is."""
    if style is Style.SENTENCES or len(lines) < 2:
        return _joined(lines)
    return "\n".join(f"- {line}" for line in lines)


def _joined(lines: Iterable[str]) -> str:
    text = ""
    for line in lines:
        text += line if not text or text.endswith(("。", "！", "？")) else " " + line
    return text


def truncated(text: str, budget_tokens: int, count: Callable[[str], int]) -> str:
    """The longest beginning of ``text`` within ``budget_tokens``, cut between words where there is a space."""
    text = text[
        : 40 * budget_tokens + 40
    ]  # tokens are shorter than that; so a huge text costs no more than it has to
    if count(text) <= budget_tokens:
        return text
    low = 1
    high = len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high)
            if count(text[:middle]) <= budget_tokens
            else (low, middle - 1)
        )
    space = text.rfind(" ", 0, low + 1)
    return text[: space if space > 0 else low].rstrip()
