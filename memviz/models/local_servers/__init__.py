"""Servers of models that run on this machine: found when somebody asks, and only at loopback
addresses.

``programs`` knows how each program says which models it serves, ``asking`` asks it, and ``servers`` are the results.
"""

from collections.abc import Iterable
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic

from memviz.core.translation import Said
from memviz.models.local_servers.asking import (
    MOST_SECONDS,
    NoAnswerError,
    Place,
    SilentError,
    endless,
    place_of,
)
from memviz.models.local_servers.programs import server_at
from memviz.models.local_servers.servers import LocalModel, LocalServer, LocalServers
from memviz.models.prices import note_window
from memviz.models.provider_keys import LOOPBACK, PROGRAMS, Program

__all__ = ["LocalModel", "LocalServer", "LocalServers", "find_local_servers"]
_GRACE_SECONDS = 1.0
"""So much longer than all questions may take together is waited for a server: its thread stops by itself at the next
byte, and one that it is kept waiting for is left."""
_Outcome = LocalServer | NoAnswerError | SilentError


def find_local_servers(
    at: Iterable[str] = (), programs: Iterable[Program] = PROGRAMS
) -> LocalServers:
    """Ask the usual ports of these ``programs`` on 127.0.0.1, and the addresses ``at``, all at once, which models are
    served there. Takes a moment where nothing listens, and five seconds at most.

    Whose window is known, has it from now on wherever memviz speaks of context windows. Nothing is sent but the
    question, and no key. Raises :class:`memviz.core.model_errors.BadRequestError` for an address that is not of this
    machine.
    """
    usual = {Place(LOOPBACK, program.port).address: program for program in programs}
    places = {place.address: place for place in map(place_of, (*at, *usual))}
    servers = []
    silent: list[Program | str] = []
    problems = []
    for address, outcome in _ask_all(list(places.values())).items():
        if isinstance(outcome, LocalServer):
            servers.append(outcome)
            _note_windows(outcome)
        elif isinstance(outcome, SilentError):
            silent.append(usual.get(address, address))
        else:
            problem = Said("{address} {does}.", address=address, does=outcome.does)
            problems.append(problem)
    return LocalServers(tuple(servers), tuple(silent), tuple(problems))


def _note_windows(server: LocalServer) -> None:
    for model in server.models:
        if model.context_tokens is not None:
            note_window(model.name, model.context_tokens)


def _ask_all(places: list[Place]) -> dict[str, _Outcome]:
    """Return the answers of the places, in their order. Each is asked in a thread of its own,
    which nobody waits for longer than its time: a server may send one byte now and then
    for ever."""
    arrived: SimpleQueue[tuple[str, _Outcome]] = SimpleQueue()
    outcomes: dict[str, _Outcome] = {
        place.address: NoAnswerError(endless()) for place in places
    }
    # Daemons, so that a server that never ends its answer holds up no process.
    for place in places:
        Thread(
            target=_ask, args=(place, arrived), name="memviz local server", daemon=True
        ).start()
    until = monotonic() + MOST_SECONDS + _GRACE_SECONDS
    for _ in places:
        try:
            address, outcome = arrived.get(timeout=max(0.0, until - monotonic()))
        except Empty:
            break
        outcomes[address] = outcome
    return outcomes


def _ask(place: Place, arrived: SimpleQueue[tuple[str, _Outcome]]) -> None:
    try:
        outcome: _Outcome = server_at(place)
    except (NoAnswerError, SilentError) as error:
        outcome = error
    arrived.put((place.address, outcome))
