"""The common part of strategies with the settings of LangChain's SummarizationMiddleware: thresholds, and how much
stays."""

from typing import Any, ClassVar, Literal

from memviz.core.translation import noop
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.clauses import AllOf, AnyOf, AtLeast, TriggerClause, trigger_from
from memviz.strategies.parameters import choice, free_text, summary_length, whole_number


class Thresholds(Strategy):
    """Acts before a request once a threshold is reached, and keeps the newest messages."""

    main_parameter: ClassVar[str] = "trigger_tokens"
    trigger: ClassVar[Trigger] = Trigger.REQUEST
    limits: ClassVar[str] = noop("summary and messages not yet summarized")
    """The summary counts."""

    trigger_tokens: int = whole_number(
        4000,
        "tokens",
        "Summarizes when messages and summary have this many tokens or more. Larger summarizes later. 0: whatever the "
        "tokens.",
        (500, 100_000),
        minimum=0,
        zero_is_off=True,
    )
    trigger_messages: int = whole_number(
        0,
        "messages",
        "Summarizes when there are this many messages or more, the summary among them. 0: however many.",
        (10, 100),
        minimum=0,
        zero_is_off=True,
    )
    trigger_percent: int = whole_number(
        0,
        "percent",
        "Summarizes when the tokens are this share of the context window or more. 0: whatever the share.",
        (10, 90),
        minimum=0,
        maximum=100,
        zero_is_off=True,
    )
    joined_by: Literal["any", "all"] = choice(
        "any",
        {
            "any": "one threshold that is reached is enough",
            "all": "all of them have to be reached",
        },
        "Whether one of the thresholds above has to be reached, or all of them.",
    )
    other_triggers: str | None = free_text(
        'Further thresholds, such as "5000 tokens and 3 messages or 0.8 of the window": one of them is enough.'
    )
    keep_messages: int = whole_number(
        20,
        "messages",
        "Newest messages that stay word for word. Larger keeps more and summarizes more often.",
        (1, 50),
    )
    keep_tokens: int = whole_number(
        0,
        "tokens",
        "Where not 0: so many tokens of the newest messages stay, at least one message, whatever the "
        "number of messages.",
        (250, 10_000),
        minimum=0,
        zero_is_off=True,
    )
    keep_percent: int = whole_number(
        0,
        "percent",
        "Where not 0: this share of the context window stays, whatever the messages and tokens above.",
        (5, 50),
        minimum=0,
        maximum=100,
        zero_is_off=True,
    )
    window_tokens: int = whole_number(
        128_000,
        "tokens",
        "The context window that the shares are of. Larger summarizes later where a share is set.",
        (4000, 200_000),
    )
    summarizer_reads_tokens: int = whole_number(
        4000,
        "tokens",
        "The summarizer reads so many of the last tokens of what goes. Larger forgets less and costs more a "
        "summarization. 0: everything.",
        (500, 20_000),
        minimum=0,
    )
    summary_words: int = summary_length()

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        if self.other_triggers:
            # Words that say no threshold are refused at once.
            trigger_from(
                self.other_triggers,
                self.window_tokens,
                "other_triggers",
                ("tokens", "messages"),
            )

    @property
    def triggers(self) -> AnyOf:
        """The rule by which it acts: the thresholds that are set. Where none is, it never does."""
        clauses: list[TriggerClause] = []
        if self.trigger_tokens:
            clauses.append(AtLeast(self.trigger_tokens, "tokens"))
        if self.trigger_messages:
            clauses.append(AtLeast(self.trigger_messages, "messages"))
        if self.trigger_percent:
            tokens = self._share_tokens(self.trigger_percent)
            clauses.append(AtLeast(tokens, "tokens", self.trigger_percent / 100))
        if self.joined_by == "all" and clauses:
            clauses = [AllOf(tuple(clauses))]
        if self.other_triggers:
            others = trigger_from(
                self.other_triggers, self.window_tokens, "other_triggers"
            )
            clauses.extend(others.clauses)
        return AnyOf(tuple(clauses))

    def _share_tokens(self, percent: int) -> int:
        # Rounded as LangChain does.
        return max(1, int(self.window_tokens * (percent / 100)))

    @property
    def kept_tokens(self) -> int:
        """Tokens that stay; 0 where messages are counted instead."""
        if self.keep_percent:
            return self._share_tokens(self.keep_percent)
        return self.keep_tokens
