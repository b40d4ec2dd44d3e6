"""The findings on this machine: servers, their models, and a sentence for everything else."""

from collections.abc import Iterator
from dataclasses import dataclass

from memviz.core.text.wording import listed
from memviz.core.translation import _
from memviz.models.provider_keys import LOOPBACK, Program


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that is served on this machine: ``memviz.model(name, api_base=api_base)``.

    ``title`` is what its server calls it. ``context_tokens`` is how much a request and its reply may hold as the model
    is served now, ``None`` where that shows only once it is loaded; ``longest_context_tokens`` is what it was made for.
    """

    name: str
    api_base: str
    title: str
    program: str
    context_tokens: int | None = None
    longest_context_tokens: int | None = None

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
    """A server of models on this machine. ``address`` is ``127.0.0.1:8080``; ``notes`` are sentences on models of it
    that are not listed."""

    program: str
    address: str
    models: tuple[LocalModel, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalServers:
    """Everything that was found. ``silent`` are the programs at whose usual ports nothing answers, and addresses that
    were asked for and do not either; ``problems`` are sentences on what answers and is no server of models."""

    servers: tuple[LocalServer, ...] = ()
    silent: tuple[Program | str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[LocalModel, ...]:
        """The models of all servers."""
        return tuple(model for server in self.servers for model in server.models)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences beside the list of models."""
        empty = (
            _(
                "{program} answers at {address} and has no model: load one there first.",
                program=server.program,
                address=server.address,
            )
            for server in self.servers
            if not server.models and not server.notes
        )
        notes = [note for server in self.servers for note in server.notes]
        said = [_(sentence) for sentence in (*notes, *self.problems)]
        return (*empty, *said, *self._silence())

    def _silence(self) -> Iterator[str]:
        """One sentence for all that does not answer."""
        named = [
            _("{title} (port {port})", title=one.title, port=one.port)
            if isinstance(one, Program)
            else one
            for one in self.silent
        ]
        if named and (self.servers or self.problems):
            yield _("Nothing answers for {names}.", names=listed(named))
        elif named:
            yield _(
                "No server of models answers on this machine: tried {names} at {loopback}.",
                names=listed(named),
                loopback=LOOPBACK,
            )
