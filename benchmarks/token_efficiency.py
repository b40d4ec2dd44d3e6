"""Tokens per request of recent-only and summary-only memory after 10, 50 and 100 turns, beside what was claimed.

    python -m benchmarks.token_efficiency

Each number is that of the one request that follows so many completed turns, split into the list of
summaries, messages (word for word or recalled), the input, and the chat format's overhead. Nothing is
random and no model is called: the first conversation is made to the claim's own sizes, the second is a
bundled one, gone through until it is long enough, with the offline model's summaries.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from textwrap import fill
from typing import NamedTuple

from memviz import Message, Model, Recall, Reply, Run, counter, replay, strategy
from memviz.engine.records import TurnRecord
from memviz.transcripts.samples import sample

SIZES = (10, 50, 100)
RECENT, BARE, FEW, MANY = (
    "recent-only",
    "summary-only",
    "summary-only + 5",
    "summary-only + 20",
)
"""With the last 3 turns word for word; and with so many of the last messages recalled into that request."""
CLAIM = {
    RECENT: (900, 2900, 5400),
    BARE: (500, 2500, 5000),
    FEW: (700, 2700, 5200),
    MANY: (1000, 3000, 5500),
}
CLAIMED_SAVING = 0.44
CLOSE = 0.1
"""A number is taken to bear out a claimed one that is no further off than this part of it."""
SETTINGS = {
    RECENT: ("recent_only", {"recent_rounds": 3}, 0),
    BARE: ("summary_only", {}, 0),
    FEW: ("summary_only", {}, 5),
    MANY: ("summary_only", {}, 20),
}
COUNTER = counter("o200k_base")
MESSAGE_TOKENS = 40
SUMMARY_TOKENS = 44  # with "[Turn 12] " before it and a line break behind, 50 a turn
WORDS = "time year way day man world life hand part child eye woman place work week case point company number group"


def text_of(tokens: int, number: int) -> str:
    """``tokens`` words of a token each, other ones for each ``number``."""
    words = WORDS.split()
    text = " ".join(
        words[(number * 7 + at * (1 + number % 5)) % len(words)] for at in range(tokens)
    )
    assert COUNTER(text) == tokens, text
    return text


class SizedSummarizer(Model):
    """Answers at once with a summary of ``SUMMARY_TOKENS`` tokens, a different one each time."""

    name = "sized"

    def __init__(self) -> None:
        self._calls = 0

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        self._calls += 1
        yield Reply(text_of(SUMMARY_TOKENS, self._calls))


def made_up(message_tokens: int) -> list[Message]:
    """Completed turns of equal messages, and the input of the next."""
    roles = islice(cycle(("user", "assistant")), 2 * SIZES[-1] + 1)
    return [
        Message(role, text_of(message_tokens, number))
        for number, role in enumerate(roles)
    ]


def bundled(id: str) -> list[Message]:
    """A bundled conversation, again and again until it is long enough."""
    return list(islice(cycle(sample(id).messages), 2 * SIZES[-1] + 1))


def run_of(messages: Sequence[Message], setting: str, summarizer: Model | str) -> Run:
    id, parameters, recalled = SETTINGS[setting]
    recalls = (
        {size + 1: Recall(last_n=recalled) for size in SIZES} if recalled else None
    )
    return replay(
        messages,
        strategy(id, **parameters),
        model=summarizer,
        counter=COUNTER,
        recalls=recalls,
    )


class Sent(NamedTuple):
    """Tokens of one request by part, and how many messages it holds besides the input."""

    summaries: int
    messages: int
    input: int
    overhead: int
    message_count: int

    @classmethod
    def of(cls, record: TurnRecord) -> "Sent":
        tokens, parts = record.tokens, record.parts
        count = sum(map(len, parts.history)) + len(parts.recalled)
        messages = tokens["history"] + tokens["recalled"]
        return cls(
            tokens["summary"], messages, tokens["input"], tokens["overhead"], count
        )

    @property
    def total(self) -> int:
        return self.summaries + self.messages + self.input + self.overhead

    @property
    def claimable(self) -> int:
        """What the claim can have counted: 500 tokens at 10 turns and 2,500 at 50 leave nothing for an input."""
        return self.summaries + self.messages


Table = Mapping[str, Sequence[Sent]]


def table_of(runs: Mapping[str, Run]) -> Table:
    return {
        setting: [Sent.of(run.turns[size]) for size in SIZES]
        for setting, run in runs.items()
    }


def print_table(table: Table) -> None:
    print(
        "turns  setting             claim    total  = summaries + messages (count) + input + overhead"
    )
    for at, size in enumerate(SIZES):
        for setting, sent in table.items():
            one = sent[at]
            print(
                f"{size:>5}  {setting:18}{CLAIM[setting][at]:>7,}  {one.total:>7,}  {one.summaries:>11,}"
                f"  {one.messages:>9,} {f'({one.message_count})':>7}  {one.input:>6,}  {one.overhead:>9,}"
            )
    print()


def say(finding: str) -> None:
    print(
        fill(
            finding,
            100,
            initial_indent="- ",
            subsequent_indent="  ",
            break_on_hyphens=False,
        )
    )


def savings(numbers: Mapping[str, Sequence[float]], setting: str) -> list[float]:
    """What part of recent-only's tokens a setting saves at each size; below 0 it costs more."""
    return [
        1 - mine / recent
        for mine, recent in zip(numbers[setting], numbers[RECENT], strict=True)
    ]


def in_words(shares: Sequence[float]) -> str:
    return ", ".join(
        f"{abs(share):.0%} {'less' if share > 0 else 'more'}" for share in shares
    )


def say_savings(table: Table) -> None:
    totals = {setting: [one.total for one in sent] for setting, sent in table.items()}
    sizes = ", ".join(map(str, SIZES))
    for setting in (BARE, FEW, MANY):
        claimed, measured = (
            in_words(savings(CLAIM, setting)),
            in_words(savings(totals, setting)),
        )
        say(
            f"{setting}, against recent-only after {sizes} turns: claimed {claimed}; measured {measured}."
        )
    bare = savings(totals, BARE)
    near = [
        str(size)
        for size, share in zip(SIZES, bare, strict=True)
        if abs(share - CLAIMED_SAVING) <= CLOSE / 2
    ]
    where = (
        f"holds after {' and '.join(near)} turns only"
        if near
        else "holds at none of these sizes"
    )
    shrinks = (
        "it shrinks as the list of summaries grows"
        if bare[0] > bare[1] > bare[2]
        else "it does not just shrink"
    )
    say(f"The saving of {CLAIMED_SAVING:.0%} {where} (to 5 points); {shrinks}.")


def say_recalls(table: Table) -> None:
    more = [
        str(size)
        for at, size in enumerate(SIZES)
        if table[MANY][at].total > table[RECENT][at].total
    ]
    recent, _, few, many = (table[setting][0].message_count for setting in SETTINGS)
    after = f"after {', '.join(more)} turns" if more else "at no size"
    say(
        f"Recent-only sends {recent} messages besides the input, a recall {few} or {many}. With {many} recalled, "
        f"summary-only costs more than recent-only {after}."
    )


def say_growth(table: Table) -> None:
    added = sorted(
        (sent[-1].total - sent[0].total) / (SIZES[-1] - SIZES[0])
        for sent in table.values()
    )
    each = " to ".join(dict.fromkeys(f"{tokens:.0f}" for tokens in added))
    lists = {tuple(one.summaries for one in sent) for sent in table.values()}
    share = ", ".join(f"{one.summaries / one.total:.0%}" for one in table[BARE])
    say(
        f"Every turn adds {each} tokens to the request, without bound, in all four rows. "
        f"Their lists of summaries are {'the same' if len(lists) == 1 else 'different'}: {share} of summary-only."
    )


def say_closeness(table: Table) -> None:
    off = {
        setting: [
            one.claimable / claimed - 1
            for one, claimed in zip(sent, CLAIM[setting], strict=True)
        ]
        for setting, sent in table.items()
    }
    within = sum(abs(each) <= CLOSE for row in off.values() for each in row)
    rows = "; ".join(
        f"{setting} {', '.join(f'{each:+.0%}' for each in row)}"
        for setting, row in off.items()
    )
    of = len(SIZES) * len(off)
    say(
        f"Summaries and messages alone, against the claim: {rows}. {within} of {of} are within {CLOSE:.0%}."
    )


def say_summarizer(runs: Mapping[str, Run]) -> None:
    same = (
        len(
            {
                tuple(one.prompt_tokens for one in run.compactions)
                for run in runs.values()
            }
        )
        == 1
    )
    parts = []
    for size in SIZES:
        made = [
            compaction
            for compaction in runs[BARE].compactions
            if compaction.turn <= size
        ]
        read, written = (
            sum(one.prompt_tokens for one in made),
            sum(one.output_tokens for one in made),
        )
        sent = sum(record.total_tokens for record in runs[BARE].turns[:size])
        parts.append(
            f"{read:,} + {written:,} by turn {size}, {(read + written) / sent:.0%} of what was sent till then"
        )
    say(
        f"Writing the summaries is extra, {'the same' if same else 'not the same'} in all four rows "
        f"(tokens in + out, beside the requests of summary-only): {'; '.join(parts)}."
    )


def say_claim() -> None:
    per_turn = (CLAIM[BARE][-1] - CLAIM[BARE][0]) / (SIZES[-1] - SIZES[0])
    rest = CLAIM[BARE][0] - per_turn * SIZES[0]
    say(
        f"Summary-only is {per_turn:.0f} tokens a turn and {rest:.0f} besides: that leaves {rest:.0f} for the input."
    )
    implied = ((RECENT, 6), (FEW, 5), (MANY, 20))
    tokens = [
        (CLAIM[setting][0] - CLAIM[BARE][0]) / count for setting, count in implied
    ]
    sizes = ", ".join(
        f"{size:.0f} by {setting}"
        for size, (setting, _) in zip(tokens, implied, strict=True)
    )
    agree = max(tokens) <= (1 + CLOSE) * min(tokens)
    say(
        f"Tokens of a message: {sizes}. These {'agree' if agree else 'contradict each other'}."
    )


def print_sizes() -> None:
    print(f"\nSummaries and messages after {SIZES[0]} turns, by the size of a message:")
    print(f"{'tokens a message':18}" + "".join(f"{setting:>20}" for setting in CLAIM))
    for size in (25, MESSAGE_TOKENS, 67):
        cells = (
            table_of({s: run_of(made_up(size), s, SizedSummarizer())})[s][0].claimable
            for s in CLAIM
        )
        print(f"{size:<18}" + "".join(f"{tokens:>20,}" for tokens in cells))
    print(f"{'claim':18}" + "".join(f"{claimed[0]:>20,}" for claimed in CLAIM.values()))


def report(title: str, messages: Sequence[Message], summarizer: Model | str) -> None:
    runs = {setting: run_of(messages, setting, summarizer) for setting in SETTINGS}
    table = table_of(runs)
    print(f"\n{title}\n")
    print_table(table)
    for say_finding in (say_savings, say_recalls, say_growth, say_closeness):
        say_finding(table)
    say_summarizer(runs)


def main() -> None:
    print("The claim itself, read backwards\n")
    say_claim()
    title = f"A made-up conversation: {MESSAGE_TOKENS} tokens a message, summaries of 50 a turn"
    report(title, made_up(MESSAGE_TOKENS), SizedSummarizer())
    print_sizes()
    messages = bundled("tutoring")
    mean = sum(COUNTER(message.content) for message in messages) / len(messages)
    title = f"The bundled tutoring conversation, gone through twice: {mean:.0f} tokens a message, offline summaries"
    report(title, messages, "offline")


if __name__ == "__main__":
    main()
