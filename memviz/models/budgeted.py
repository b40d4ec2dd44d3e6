"""A model held to a budget: before each request what it may cost is reserved, after it what it did cost is booked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memviz.core.counters import DEFAULT_COUNTER, AnyCounter, counter
from memviz.core.errors import ParameterError
from memviz.core.messages import Message
from memviz.models.base import (
    Bill,
    BothBills,
    Meter,
    Model,
    ModelRequest,
    ModelWrapper,
    Reply,
    unmetered,
)
from memviz.models.budget import Budget, Spending, Tries
from memviz.models.planned_calls import INPUT_MARGIN, usd_at_most
from memviz.models.prices import Price, known_price, price
from memviz.models.tools import Tool

__all__ = ["Budget", "Budgeted", "VisitorModel"]

MAX_OUTPUT_TOKENS = 4096


class Budgeted(ModelWrapper):
    """``model``, whose calls are paid out of ``budget``. Several models and threads may share one.

    Each answer is bounded at ``max_output_tokens``, which is passed on where the model can be told; a model that
    thinks spends them on that as well. The size of a request is an upper bound: all its JSON counted with
    ``counter``, with a margin for other tokenizers, but no more than its bytes. ``usd_per_million`` are prices of a
    million input and output tokens in US dollars, entered by hand; otherwise list prices hold. A call of which
    nobody says what it cost is booked at the most it may have cost, once for all of its tries that fail: nobody knows
    whether a failure is billed, and providers say that most are not. Answers from a
    :class:`memviz.models.response_cache.CachedModel` are free and always given.

    Asking raises :class:`memviz.core.model_errors.BudgetSpentError` for a call that might exceed the limit. Raises
    :class:`memviz.core.errors.ParameterError` for a model whose price is unknown.
    """

    def __init__(
        self,
        model: Model,
        budget: Budget,
        *,
        max_output_tokens: int = MAX_OUTPUT_TOKENS,
        usd_per_million: tuple[float, float] | None = None,
        counter: AnyCounter = DEFAULT_COUNTER,
    ) -> None:
        if max_output_tokens < 1:
            raise ParameterError("max_output_tokens", max_output_tokens, "1 or more")
        self.budget = budget
        self._by_hand = usd_per_million is not None
        self._price = self._price_of(model.name, usd_per_million)
        list_price = price(model.name)
        ceiling = max_output_tokens
        if list_price and list_price.max_output_tokens:
            ceiling = list_price.max_output_tokens
        limited = model.limited(min(max_output_tokens, ceiling))
        if limited:
            self.max_output_tokens = min(max_output_tokens, ceiling)
        else:
            # A model that cannot be told to stop earlier may write as much as it can.
            self.max_output_tokens = max(max_output_tokens, ceiling)
        super().__init__(limited or model)
        self._counter = counter

    def __repr__(self) -> str:
        return f"Budgeted({self._model!r})"

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The model's answer, once the budget allows it; before each try the ``meter`` is asked as well, and first."""
        tries = Tries()

        def both(request: ModelRequest) -> Bill:
            outer = meter(request)
            most_usd = None if self._price is None else self._most_usd(request)
            own_bill = self.budget.call(
                most_usd, self.name, tries=tries, priced=self.priced
            )
            return BothBills(outer, own_bill)

        return self._model.answer(request, both)

    def _price_of(
        self, name: str, usd_per_million: tuple[float, float] | None
    ) -> Price | None:
        if usd_per_million:
            return _by_hand(name, *usd_per_million)
        return _list_price(name)

    def most_usd(
        self, messages: Sequence[Message], tools: Sequence[Tool] = ()
    ) -> float:
        """Return the most that one request may cost, in US dollars; 0 where no price is known."""
        return self._most_usd(ModelRequest(tuple(messages), tuple(tools)))

    def _most_usd(self, request: ModelRequest) -> float:
        if self._price is None:
            return 0.0
        messages, tools = request.as_json
        text = json.dumps([*messages, *tools], ensure_ascii=False)
        text_bytes = text.encode("utf-8", "replace")
        # memviz's count may be too low for another tokenizer: a margin for ASCII, and a token for each byte beyond it,
        # where tokenizers differ most. No tokenizer makes more tokens than there are bytes.
        ascii_text = text_bytes.decode("ascii", "ignore")
        beyond_ascii = len(text_bytes) - len(ascii_text)
        counted_tokens = INPUT_MARGIN * counter(self._counter)(text) + beyond_ascii
        input_tokens = min(counted_tokens, len(text_bytes))
        return usd_at_most(self._price, input_tokens, self.max_output_tokens)

    def priced(self, reply: Reply) -> Reply:
        """``reply`` with its cost: by the prices entered by hand, or as it came, or at list price."""
        has_own_cost = reply.cost_usd is not None and not self._by_hand
        if self._price is not None and reply.usage is not None and not has_own_cost:
            return replace(reply, cost_usd=self._price.cost_usd(reply.usage))
        # A cost at list price would be wrong where other prices were entered.
        return replace(reply, cost_usd=None) if self._by_hand else reply


class VisitorModel(Budgeted):
    """A model that a visitor of the dashboard asks: calls are paid from ``spending``, which also bounds their length.

    Unlike :class:`Budgeted` it accepts a model without a known price, whose calls ``spending`` counts instead.
    """

    def __init__(
        self, model: Model, spending: Spending, max_output_tokens: int | None = None
    ) -> None:
        super().__init__(
            model,
            spending,
            max_output_tokens=max_output_tokens or spending.reply_tokens,
        )

    def __repr__(self) -> str:
        return f"VisitorModel({self._model!r})"

    def _price_of(
        self, name: str, usd_per_million: tuple[float, float] | None
    ) -> Price | None:
        return known_price(name)


def _by_hand(model: str, input_usd: float, output_usd: float) -> Price:
    if not (input_usd >= 0 and output_usd >= 0):
        raise ParameterError(
            "usd_per_million",
            (input_usd, output_usd),
            "two prices in US dollars, 0 or more",
        )
    return Price(
        model=model,
        provider="",
        mode="chat",
        max_input_tokens=None,
        max_output_tokens=None,
        input_usd_per_token=input_usd / 1e6,
        output_usd_per_token=output_usd / 1e6,
        cache_read_usd_per_token=None,
        cache_write_usd_per_token=None,
    )


def _list_price(model: str) -> Price:
    price_known = known_price(model)
    if price_known is None:
        raise ParameterError(
            "model",
            model,
            "a model whose price is known; enter its price for a million tokens (usd_per_million)",
        )
    return price_known
