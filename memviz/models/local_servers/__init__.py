"""Servers of models that run on this machine: found when somebody asks, and only at loopback
addresses.

Readers tell what each program says of itself and of its models: as their documentation and
replies had it in 2026. A reader asks one :class:`Place` and returns the server, or ``None``
if another program answers there.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple

from memviz.core.bounds import is_whole_number
from memviz.core.translation import Said, noop
from memviz.models.local_servers.asking import (
    MOST_SECONDS,
    LocalModel,
    LocalServer,
    LocalServers,
    NoAnswerError,
    Place,
    SilentError,
    endless,
    place_of,
)
from memviz.models.prices import note_window
from memviz.models.provider_keys import (
    LLAMA_CPP,
    LM_STUDIO,
    LOOPBACK,
    OLLAMA,
    OPENAI_LIKE,
    PROGRAMS,
    VLLM,
    Program,
)

MAX_MODELS = 100
"""The most models of one server that are listed; those behind are counted."""
MAX_NAME_CHARS = 200
"""The longest name of a model, as long as a name in a link may be."""
Item = Mapping[str, Any]
__all__ = ["LocalModel", "LocalServer", "LocalServers", "find_local_servers"]
_GRACE_SECONDS = 1.0
"""So much longer than all questions may take together is waited for a server: its thread stops by itself at the next
byte, and one that it is kept waiting for is left."""
_Outcome = LocalServer | NoAnswerError | SilentError
# the line "num_ctx    8192" of the parameters of a model of Ollama
_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


class _Served(NamedTuple):
    """A model as its server names it."""

    name: str
    context_tokens: int | None
    """The window that it has now."""
    longest_tokens: int | None = None
    """The window that it was made for."""


def _listing(
    place: Place,
    program: Program,
    served: Sequence[_Served],
    count: int,
    notes: Iterable[str] = (),
) -> LocalServer:
    """The server with those of its models that can be called, out of ``count``. ``notes`` say what is left out."""
    base = f"http://{place.address}{program.path}"
    all_notes = list(notes)
    models = []
    for model in served:
        if _is_usable(model.name):
            called = f"{program.prefix}/{model.name}"
            models.append(
                LocalModel(called, base, model.name, program.title, *model[1:])
            )
    if len(models) < len(served):
        all_notes.append(
            Said(
                "{number} of the models of {program} cannot be used, because of a space or an odd character in the "
                "name.",
                number=len(served) - len(models),
                program=program.title,
            )
        )
    if count > MAX_MODELS:
        all_notes.append(
            Said(
                "{program} has {count:,} models, of which the first {most} are listed.",
                program=program.title,
                count=count,
                most=MAX_MODELS,
            )
        )
    shown_models = tuple(models[:MAX_MODELS])
    return LocalServer(program.title, place.address, shown_models, tuple(all_notes))


def _is_usable(name: str) -> bool:
    return (
        len(name) <= MAX_NAME_CHARS
        and name.isprintable()
        and " " not in name
        and "://" not in name
    )


def text_of(item: Item, key: str) -> str:
    """The text under ``key``, empty if there is none."""
    value = item.get(key)
    return value if isinstance(value, str) else ""


def tokens_of(value: object) -> int | None:
    """A number of tokens, if it is one."""
    if is_whole_number(value) and isinstance(value, int) and value > 0:
        return value
    return None


_WANTS_KEY = noop(
    "tells nobody without a key what it serves: enter its base URL, a model's name and the key by hand"
)

_UNREADABLE = noop("answers as {program} does, but its list of models cannot be read")


def server_at(place: Place) -> LocalServer:
    """The server that answers there. Raises ``SilentError`` and ``NoAnswerError``."""
    for read in _READERS:
        if (server := read(place)) is not None:
            return server
    raise NoAnswerError(Said("answers, and is no server of models"))


def _ollama(place: Place) -> LocalServer | None:
    version = place.ask("/api/version").value
    if not isinstance(version, dict) or not isinstance(version.get("version"), str):
        return None
    listed = place.ask("/api/tags").items("models")
    if listed is None:
        return None  # other programs tell their version there as well
    loaded = {}
    for item in place.ask("/api/ps").items("models") or ():
        loaded[text_of(item, "name")] = item
    named = [text_of(item, "name") for item in listed if not item.get("remote_host")]
    here = list(dict.fromkeys(filter(None, named)))
    models = []
    for name in here[:MAX_MODELS]:
        about = _shown(place, name)
        if _completes(about):
            context_tokens = _context_set(about, loaded.get(name, {}))
            models.append(_Served(name, context_tokens, _context_made_for(about)))
    elsewhere = sum(bool(item.get("remote_host")) for item in listed)
    note = Said(
        "{number} of the models of {program} would be asked on other machines, and so not listed.",
        number=elsewhere,
        program=OLLAMA.title,
    )
    return _listing(place, OLLAMA, models, len(here), [note] if elsewhere else [])


def _shown(place: Place, name: str) -> Item:
    """Ollama's description of one model; nothing where it takes too long."""
    try:
        about = place.ask("/api/show", {"model": name}).value
    except NoAnswerError:
        return {}
    return about if isinstance(about, dict) else {}


def _completes(about: Item) -> bool:
    """Return whether the model writes texts. Those that only embed them do not, and old servers do not say."""
    can = about.get("capabilities")
    return not isinstance(can, list) or not can or "completion" in can


def _context_set(about: Item, loaded: Item) -> int | None:
    """The window of the model as it is loaded, or as its file sets it. Ollama's own choice is not known before."""
    loaded_tokens = tokens_of(loaded.get("context_length"))
    if loaded_tokens:
        return loaded_tokens
    in_file = _NUM_CTX.search(text_of(about, "parameters"))
    return int(in_file[1]) if in_file else None


def _context_made_for(about: Item) -> int | None:
    facts = about.get("model_info")
    if not isinstance(facts, dict):
        return None
    return tokens_of(facts.get(f"{facts.get('general.architecture')}.context_length"))


def _llama_cpp(place: Place) -> LocalServer | None:
    props = place.ask("/props")
    if props.server == LLAMA_CPP.title and props.wants_key:
        raise NoAnswerError(Said(_WANTS_KEY))
    if props.server == LLAMA_CPP.title and props.is_loading:
        raise NoAnswerError(Said("is still loading its model: look again in a moment"))
    if not isinstance(props.value, dict):
        return None
    settings = props.value.get("default_generation_settings")
    if not isinstance(settings, dict):
        return None
    listed = place.ask("/v1/models").items("data")
    if listed is None:
        raise NoAnswerError(Said(_UNREADABLE, program=LLAMA_CPP.title))
    is_alone = len(listed) == 1 and props.value.get("role") != "router"
    models = []
    for item in listed:
        set_tokens = tokens_of(settings.get("n_ctx")) if is_alone else None
        context_tokens = set_tokens or tokens_of(_meta(item).get("n_ctx"))
        longest_tokens = tokens_of(_meta(item).get("n_ctx_train"))
        name = text_of(item, "id")
        shown = _file_name(name) if is_alone else name
        if name:
            models.append(_Served(shown, context_tokens, longest_tokens))
    return _listing(place, LLAMA_CPP, models, len(listed))


def _meta(item: Item) -> Item:
    meta = item.get("meta")
    return meta if isinstance(meta, dict) else {}


def _file_name(name: str) -> str:
    """The name of a file of weights, without the folders of this machine. A server with one model answers under any."""
    if not name.endswith(".gguf"):
        return name
    file_name = re.split(r"[/\\]", name)[-1].removesuffix(".gguf")
    return re.sub(r"\s+", "-", file_name)


def _lm_studio(place: Place) -> LocalServer | None:
    """By the protocol of version 0.4, or the one before."""
    listed = place.ask("/api/v1/models").items("models")
    name_key = "key"
    embeds = "embedding"
    context_of = _loaded_with
    if listed is None or not all("loaded_instances" in item for item in listed):
        listed = place.ask("/api/v0/models").items("data")
        name_key = "id"
        embeds = "embeddings"
        context_of = _loaded_context
        if listed is None or not all("state" in item for item in listed):
            return None
    models = []
    for item in listed:
        if item.get("type") == embeds:
            continue
        longest_tokens = tokens_of(item.get("max_context_length"))
        name = text_of(item, name_key)
        if name:
            models.append(_Served(name, context_of(item), longest_tokens))
    return _listing(place, LM_STUDIO, models, len(listed))


def _loaded_context(item: Item) -> int | None:
    return tokens_of(item.get("loaded_context_length"))


def _loaded_with(item: Item) -> int | None:
    """The smallest window of the instances that are loaded: which of them answers is not known."""
    instances = item.get("loaded_instances")
    if not isinstance(instances, list):
        return None
    windows = []
    for instance in instances:
        config = instance.get("config") if isinstance(instance, dict) else None
        if isinstance(config, dict):
            windows.append(tokens_of(config.get("context_length")))
    return min(filter(None, windows), default=None)


def _openai_like(place: Place) -> LocalServer | None:
    """vLLM, or any other server that speaks OpenAI's protocol. LM Studio did no more before version 0.3.6, and is known
    by its usual port."""
    answer = place.ask("/v1/models")
    if answer.wants_key:
        raise NoAnswerError(Said(_WANTS_KEY))
    listed = answer.items("data")
    if listed is None or not all(isinstance(item.get("id"), str) for item in listed):
        return None
    is_vllm = any(item.get("owned_by") == "vllm" for item in listed)
    if is_vllm:
        program = VLLM
    elif place.port == LM_STUDIO.port:
        program = LM_STUDIO
    else:
        program = OPENAI_LIKE
    models = []
    for item in listed:
        context_tokens = tokens_of(item.get("max_model_len"))
        context_tokens = context_tokens or tokens_of(_meta(item).get("n_ctx"))
        name = text_of(item, "id")
        if name:
            models.append(_Served(name, context_tokens))
    return _listing(place, program, models, len(listed))


_READERS: tuple[Callable[[Place], LocalServer | None], ...] = (
    _ollama,
    _llama_cpp,
    _lm_studio,
    _openai_like,
)


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
    for address, outcome in _all_of(list(places.values())).items():
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


def _all_of(places: list[Place]) -> dict[str, _Outcome]:
    """The answers of the places, in their order. Each is asked in a thread of its own,
    which nobody waits for longer than its time: a server may send one byte now and then
    for ever."""
    arrived: SimpleQueue[tuple[str, _Outcome]] = SimpleQueue()
    outcomes: dict[str, _Outcome] = {
        place.address: NoAnswerError(endless()) for place in places
    }
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
