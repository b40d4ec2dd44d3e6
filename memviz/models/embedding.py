"""Embedding models that litellm can reach, asked like any other model: with budgets, retries and a way out.

The vectors of a text are a model's reply to it, so what holds for replies holds for them too. They are kept by text,
model and server in the same file as replies, and none is paid twice.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memviz.core.messages import Message
from memviz.core.model_errors import (
    MalformedReplyError,
    MissingVectorsError,
    ModelError,
)
from memviz.core.translation import _, noop
from memviz.core.vectors import vectors_from
from memviz.models.base import FirstFailureEnds, Model, Reply, Usage, hashed_json
from memviz.models.budget import Budget
from memviz.models.budgeted import Budgeted
from memviz.models.failure_evidence import retry_after_seconds
from memviz.models.http_guard import embedding_arguments, load_litellm
from memviz.models.line import close_responses
from memviz.models.litellm_client import LiteLLMModel, TryFailure
from memviz.models.litellm_errors import typed_error
from memviz.models.planned_calls import CostBound, PlannedCalls, price_at_most
from memviz.models.prices import embedding_price
from memviz.models.registry import check_name
from memviz.models.response_cache import FILE_NAME, ResponseCache
from memviz.models.streamed_reply import StreamedReply

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TEXTS_A_CALL = 96
"""The fewest that a large provider (Cohere) takes at most."""
CHARS_A_CALL = 100_000
MOST_BYTES = 8_000
"""The longest text that is embedded as a whole; of a longer one the beginning is. The models of OpenAI read 8,191
tokens, others fewer, and a token is a byte at least."""
NO_VECTORS = noop(
    "Model {model} sent no vector for each text: choose an embedding model, or check the base URL."
)


class EmbeddingModel(LiteLLMModel):
    """An embedding model, named as litellm does: ``openai/text-embedding-3-small``, ``hosted_vllm/...``. A request is
    texts, as the contents of messages; the reply's text is a line for each, which :func:`read_vectors` reads."""

    def limited(self, max_output_tokens: int) -> None:
        """``None``: it writes nothing that could be longer or shorter."""

    def _draft(self) -> StreamedReply:
        return _ArrivingVectors(self.name)

    def _attempt(
        self, request: dict[str, Any], draft: StreamedReply
    ) -> Generator[str, None, TryFailure | None]:
        yield from ()
        assert isinstance(draft, _ArrivingVectors)  # noqa: S101 - made above
        try:
            texts = [message["content"] for message in request["messages"]]
            settings = self._settings.get_secret_value()
            within = self._context()
            with close_responses(within):
                arguments = embedding_arguments(self.name, self.timeout)
                ask = partial(load_litellm().embedding, **{**settings, **arguments})
                problem = draft.take(within.run(ask, input=texts), len(texts))
            return TryFailure(problem) if problem else None
        except Exception as error:
            call = self._call(request, reading=False)
            return TryFailure(typed_error(error, call), retry_after_seconds(error))


class _ArrivingVectors(StreamedReply):
    """The vectors of one call, which arrive all at once."""

    _lines: Sequence[str] = ()
    _tokens: int | None = None

    def take(self, answer: Any, texts: int) -> ModelError | None:
        """Take in litellm's answer for so many texts. Returns why it is none, or ``None``."""
        import numpy as np  # only an embedding waits for it

        try:
            # Servers need not answer in the order of the texts.
            rows = sorted(answer.data, key=lambda row: row["index"])
            vectors = np.array([row["embedding"] for row in rows], np.float32)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            has_all = len(vectors) == texts and vectors.size
            if not has_all or not np.isfinite(lengths).all():
                raise ValueError
        except (ValueError, TypeError, KeyError, AttributeError):
            return MalformedReplyError(
                _(NO_VECTORS, model=self.model), model=self.model
            )
        # Of length 1, so that products of vectors are cosines; a vector of zeros stays one.
        vectors /= np.where(lengths, lengths, 1)
        self._lines = [b64encode(vector.tobytes()).decode() for vector in vectors]
        self._tokens = getattr(answer.usage, "prompt_tokens", None) or None
        return None

    def reply(self) -> Reply:
        """The vectors as one text, one a line in Base64, with their cost at list price."""
        usage = None if self._tokens is None else Usage(self._tokens, 0)
        price = embedding_price(self.model)
        cost_usd = price.cost_usd(usage) if price and usage else None
        return Reply("\n".join(self._lines), (), usage, cost_usd, self.model)


def read_vectors(reply: Reply) -> list[NDArray[np.float32]]:
    """The vectors of an embedding model's reply, each of length 1."""
    import numpy as np  # only an embedding waits for it

    lines = reply.text.split("\n")
    return [np.frombuffer(b64decode(line), np.float32) for line in lines]


class KeptVectors:
    """The vectors in a folder that models were asked for before, without one those of this value's life. A
    :data:`memviz.core.vectors.VectorSource` that asks nobody.

    Two servers may have one name for two models, so vectors are kept by a hash of all that the answers depend on, the
    address included. Who knows a name alone gets those of the server that was asked last under it."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = None if folder is None else Path(folder)
        self._held: dict[str, Reply] = {}
        self._servers: dict[str, str] = {}

    def server_of(self, model: str) -> str:
        """The server that was asked last under this name; empty where none was."""
        if model not in self._servers:
            key = _key(model)
            replies = self._find([key])
            if key not in replies:
                return ""
            self._servers[model] = replies[key].text
        return self._servers[model]

    def turn_to(self, model: str, server: str) -> None:
        """Give the vectors of this server from now on to those who know the name alone."""
        if self.server_of(model) != server:
            self._servers[model] = server
            self._put({_key(model): Reply(server, model=model)})

    def __call__(
        self, model: str, texts: Sequence[str]
    ) -> Sequence[NDArray[np.float32]]:
        """The vectors of these texts. Raises :class:`MissingVectorsError` where one is not there."""
        vectors = self.find(model, texts, self.server_of(model))
        if len(vectors) < len(texts):
            raise MissingVectorsError(model, len(texts) - len(vectors))
        return [vectors[text] for text in texts]

    def find(
        self, model: str, texts: Sequence[str], server: str
    ) -> dict[str, NDArray[np.float32]]:
        """The vectors that are there, of those of these ``texts``, by text."""
        text_of = {_key(model, server, text): text for text in texts}
        replies = self._find(list(text_of))
        return {text_of[key]: read_vectors(reply)[0] for key, reply in replies.items()}

    def keep(
        self, model: str, texts: Sequence[str], lines: Sequence[str], server: str
    ) -> None:
        """Keep the vectors of these texts, one a line of a reply."""
        replies = {}
        for text, line in zip(texts, lines, strict=True):
            replies[_key(model, server, text)] = Reply(line, model=model)
        self._put(replies)

    def _find(self, keys: Sequence[str]) -> dict[str, Reply]:
        if self.folder is not None and (self.folder / FILE_NAME).is_file():
            return ResponseCache(self.folder).find(keys)
        return {key: self._held[key] for key in keys if key in self._held}

    def _put(self, replies: dict[str, Reply]) -> None:
        if self.folder is None:
            self._held.update(replies)
        else:
            ResponseCache(self.folder).put_all(replies)


class Embedder:
    """Vectors by ``model``, an :class:`EmbeddingModel` or a wrapper of one, asked once for each text: those that are
    ``kept`` are not asked for. ``with`` it, strategies that name the model have their vectors from it."""

    def __init__(self, model: Model, kept: KeptVectors | None = None) -> None:
        self.model = model
        self.kept = KeptVectors() if kept is None else kept
        self.server = hashed_json(model.identity)
        self._block: list[AbstractContextManager[None]] = []

    def __enter__(self) -> Embedder:
        block = vectors_from(self)
        block.__enter__()
        self._block.append(block)
        return self

    def __exit__(self, *error: Any) -> None:
        self._block.pop().__exit__(*error)

    def __call__(
        self, model: str, texts: Sequence[str]
    ) -> Sequence[NDArray[np.float32]]:
        """The vectors of these texts. Raises :class:`MissingVectorsError` for those of another model, and what asking
        raises; what was answered before a failure is kept."""
        server = self.server_of(model)
        vectors = self.kept.find(model, texts, server)
        # A text that stands twice among them is paid once.
        missing = [text for text in dict.fromkeys(texts) if text not in vectors]
        if missing and model != self.model.name:
            # One model's vectors say nothing beside another's.
            raise MissingVectorsError(model, len(missing))
        for batch in _split_batches(missing):
            request = [Message("user", _beginning(text)) for text in batch]
            reply = self.model.complete(request)
            vectors.update(zip(batch, read_vectors(reply), strict=True))
            self.kept.keep(model, batch, reply.text.split("\n"), server)
        self.kept.turn_to(model, server)
        return [vectors[text] for text in texts]

    def server_of(self, model: str) -> str:
        """The server of this name: the model's own, and of another name what is kept."""
        return self.server if model == self.model.name else self.kept.server_of(model)

    def missing(self, texts: Sequence[str]) -> list[str]:
        """The texts, of all these ``texts``, whose vectors are not kept."""
        vectors = self.kept.find(self.model.name, texts, self.server)
        return [text for text in texts if text not in vectors]


class Embedders(dict[str, Embedder]):
    """Embedders by the names of their models; of all others there are the vectors that were ``kept``. A
    :data:`memviz.core.vectors.VectorSource`."""

    def __init__(self, kept: KeptVectors) -> None:
        super().__init__()
        self.kept = kept

    def __call__(
        self, model: str, texts: Sequence[str]
    ) -> Sequence[NDArray[np.float32]]:
        """The vectors of these texts."""
        return self.get(model, self.kept)(model, texts)

    def server_of(self, model: str) -> str:
        """The server of this name."""
        return self.get(model, self.kept).server_of(model)


def bound_vector_price(name: str, texts: Iterable[str]) -> CostBound:
    """Return the most that the vectors of these texts cost: a token is a byte at least."""
    sizes = [len(text.encode("utf-8", "replace")) for text in texts]
    return price_at_most([PlannedCalls.at_most(name, sizes, 0, margin=1.0)])


def embedding_model(name: str, **options: Any) -> EmbeddingModel:
    """Return the embedding model of this name; ``options`` are those of
    :class:`memviz.models.litellm_client.LiteLLMModel`. Raises :class:`memviz.core.model_errors.UnknownModelError` for a
    name that cannot be one."""
    name = name.strip()
    check_name(name)
    return EmbeddingModel(name, **options)


def embedder(
    name: str,
    *,
    cache: str | Path | None = None,
    budget: Budget | None = None,
    usd_per_million: float | None = None,
    **options: Any,
) -> Embedder:
    """Return what asks the embedding model of this name: ``with memviz.embedder("openai/text-embedding-3-small"):``
    strategies with that ``embedding_model`` have their vectors from it.

    With a ``cache``, a folder, no text is paid twice. With a ``budget`` no call is made that might exceed it;
    ``usd_per_million`` is the price of a million tokens, where no list has it. ``options`` are those of
    :class:`memviz.models.litellm_client.LiteLLMModel`: ``api_key``, ``api_base``, ``timeout``, ``retries``. The first
    failure of a wrong key, name or address ends the work.

    Raises :class:`memviz.core.model_errors.UnknownModelError` for a name that cannot be one, and
    :class:`memviz.ParameterError` for a budget and a model whose price is unknown.
    """
    model: Model = embedding_model(name, **options)
    if budget is not None:
        prices = None if usd_per_million is None else (usd_per_million, 0.0)
        model = Budgeted(model, budget, usd_per_million=prices)
    return Embedder(FirstFailureEnds(model), KeptVectors(cache))


def _split_batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in as many calls as they need."""
    batch: list[str] = []
    chars = 0
    for text in texts:
        # No more than the beginning of a text is sent.
        size = len(_beginning(text))
        if batch and (len(batch) == TEXTS_A_CALL or chars + size > CHARS_A_CALL):
            yield batch
            batch = []
            chars = 0
        batch.append(text)
        chars += size
    if batch:
        yield batch


def _beginning(text: str) -> str:
    return text.encode("utf-8", "ignore")[:MOST_BYTES].decode("utf-8", "ignore")


def _key(*parts: str) -> str:
    return hashed_json(["vector of", *parts])
