"""The servers of models on this machine, their models, and a sentence for everything else."""

from collections.abc import Iterator
from dataclasses import dataclass

from memviz.core.text.wording import listed
from memviz.core.translation import _
from memviz.models.provider_keys import LOOPBACK, Program


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that is served on this machine: ``memviz.model(name, api_base=api_base)``."""

    name: str
    api_base: str
    title: str
    """The name that its server has for it."""
    program: str
    context_tokens: int | None = None
    """The most that a request and its reply may hold as the model is served now; ``None`` where that shows only once it
    is loaded."""
    longest_context_tokens: int | None = None
    """The most that it was made for."""

    @property
    def context_words(self) -> str:
        """``8,192 tokens of context``."""
        if self.context_tokens is not None:
            return _(
                "{tokens:,} tokens of context",
                tokens=self.context_tokens,
            )
        if self.longest_context_tokens is not None:
            return _(
                "at most {tokens:,} tokens of context",
                tokens=self.longest_context_tokens,
            )
        return _("context size unknown")


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server of models on this machine."""

    program: str
    address: str
    """Such as ``127.0.0.1:8080``."""
    models: tuple[LocalModel, ...]
    notes: tuple[str, ...] = ()
    """Sentences on models of it that are not listed."""


@dataclass(frozen=True, slots=True)
class LocalServers:
    """The servers of models on this machine."""

    servers: tuple[LocalServer, ...] = ()
    silent: tuple[Program | str, ...] = ()
    """The programs at whose usual ports nothing answers, and addresses that were asked for and do not either."""
    problems: tuple[str, ...] = ()
    """Sentences on what answers and is no server of models."""

    @property
    def models(self) -> tuple[LocalModel, ...]:
        """The models of all servers."""
        return tuple(model for server in self.servers for model in server.models)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences beside the list of models."""
        empty = []
        notes: list[str] = []
        for server in self.servers:
            notes += server.notes
            if not server.models and not server.notes:
                sentence = _(
                    "{program} answers at {address} and has no model: load one there first.",
                    program=server.program,
                    address=server.address,
                )
                empty.append(sentence)
        problems = [_(sentence) for sentence in (*notes, *self.problems)]
        return (*empty, *problems, *self._silence())

    def _silence(self) -> Iterator[str]:
        """One sentence for all that does not answer."""
        names = []
        for place in self.silent:
            if isinstance(place, Program):
                place = _("{title} (port {port})", title=place.title, port=place.port)
            names.append(place)
        if names and (self.servers or self.problems):
            yield _("Nothing answers for {names}.", names=listed(names))
        elif names:
            yield _(
                "No server of models answers on this machine: tried {names} at {loopback}.",
                names=listed(names),
                loopback=LOOPBACK,
            )
