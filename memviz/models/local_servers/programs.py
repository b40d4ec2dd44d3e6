"""The programs that serve models, each read as its documentation and its replies had it in 2026.

A reader asks one :class:`Place` what the program says of itself and of its models. It returns the server, or ``None``
if another program answers there.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memviz.core.bounds import is_whole_number
from memviz.core.translation import Said, noop
from memviz.models.local_servers.asking import NoAnswerError, Place
from memviz.models.local_servers.servers import LocalModel, LocalServer
from memviz.models.provider_keys import (
    LLAMA_CPP,
    LM_STUDIO,
    OLLAMA,
    OPENAI_LIKE,
    VLLM,
    Program,
)

MAX_MODELS = 100
"""The most models of one server that are listed; those behind are counted."""
MAX_NAME_CHARS = 200
"""The longest name of a model, as long as a name in a link may be."""
Item = Mapping[str, Any]
"""What a server says of one model."""
# the line "num_ctx    8192" of the parameters of a model of Ollama
_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)
_WANTS_KEY = noop(
    "tells nobody without a key what it serves: enter its base URL, a model's name and the key by hand"
)
_UNREADABLE = noop("answers as {program} does, but its list of models cannot be read")
_UNUSABLE = noop(
    "{number} of the models of {program} cannot be used, because of a space or an odd character in the name."
)
_TOO_MANY = noop(
    "{program} has {count:,} models, of which the first {most} are listed."
)
_ELSEWHERE = noop(
    "{number} of the models of {program} would be asked on other machines, and so not listed."
)


class _Served(NamedTuple):
    """A model as its server names it."""

    name: str
    context_tokens: int | None
    """The window that it has now."""
    longest_tokens: int | None = None
    """The window that it was made for."""


def server_at(place: Place) -> LocalServer:
    """Return the server that answers there. Raises ``SilentError`` and ``NoAnswerError``."""
    for read_answer in (
        _read_ollama,
        _read_llama_cpp,
        _read_lm_studio,
        _read_openai_like,
    ):
        server = read_answer(place)
        if server is not None:
            return server
    raise NoAnswerError(Said("answers, and is no server of models"))


def _make_server(
    place: Place,
    program: Program,
    served: Iterable[_Served],
    count: int,
    notes: Sequence[str] = (),
) -> LocalServer:
    """Return the server with those of its models that can be called, out of ``count``. ``notes`` say what is left
    out."""
    base = f"http://{place.address}{program.path}"
    all_notes = list(notes)
    models = []
    unusable = 0
    for model in served:
        if _is_usable(model.name):
            name = f"{program.prefix}/{model.name}"
            models.append(LocalModel(name, base, model.name, program.title, *model[1:]))
        elif model.name:
            unusable += 1
    if unusable:
        all_notes.append(Said(_UNUSABLE, number=unusable, program=program.title))
    if count > MAX_MODELS:
        note = Said(_TOO_MANY, program=program.title, count=count, most=MAX_MODELS)
        all_notes.append(note)
    listed_models = tuple(models[:MAX_MODELS])
    return LocalServer(program.title, place.address, listed_models, tuple(all_notes))


def _is_usable(name: str) -> bool:
    """Return true for a name that memviz can pass on: ``qwen3:8b``."""
    has_odd_letters = not name.isprintable() or " " in name or "://" in name
    return 0 < len(name) <= MAX_NAME_CHARS and not has_odd_letters


def _text(item: Item, key: str) -> str:
    """Return the text under ``key``, empty if there is none."""
    value = item.get(key)
    return value if isinstance(value, str) else ""


def _object(item: Item, key: str) -> Item:
    """Return the object under ``key``, empty if there is none."""
    value = item.get(key)
    return value if isinstance(value, dict) else {}


def _tokens(item: Item, key: str) -> int | None:
    """Return the number of tokens under ``key``, if there is one."""
    value = item.get(key)
    if is_whole_number(value) and isinstance(value, int) and value > 0:
        return value
    return None


def _read_ollama(place: Place) -> LocalServer | None:
    version = place.ask("/api/version").value
    if not isinstance(version, dict) or not isinstance(version.get("version"), str):
        return None
    items = place.ask("/api/tags").items("models")
    if items is None:
        return None  # other programs tell their version there as well
    # The window of a model is settled when it is loaded: that of a loaded one is sure.
    loaded = {}
    for item in place.ask("/api/ps").items("models") or ():
        loaded[_text(item, "name")] = item
    # Ollama lists models of its cloud beside those of this machine: to ask one leaves the machine, so none is offered.
    local_items = [item for item in items if not item.get("remote_host")]
    names = dict.fromkeys(_text(item, "name") for item in local_items)
    names.pop("", None)
    models = []
    for name in list(names)[:MAX_MODELS]:
        about = _ask_description(place, name)
        if _writes_text(about):
            context_tokens = _context_set(about, loaded.get(name, {}))
            models.append(_Served(name, context_tokens, _context_made_for(about)))
    elsewhere = len(items) - len(local_items)
    notes = []
    if elsewhere:
        notes.append(Said(_ELSEWHERE, number=elsewhere, program=OLLAMA.title))
    return _make_server(place, OLLAMA, models, len(names), notes)


def _ask_description(place: Place, name: str) -> Item:
    """Return Ollama's description of one model; nothing where it takes too long."""
    try:
        about = place.ask("/api/show", {"model": name}).value
    except NoAnswerError:
        return {}
    return about if isinstance(about, dict) else {}


def _writes_text(about: Item) -> bool:
    """Return whether the model writes texts. Those that only embed them do not, and old servers do not say."""
    abilities = about.get("capabilities")
    return not isinstance(abilities, list) or not abilities or "completion" in abilities


def _context_set(about: Item, loaded: Item) -> int | None:
    """Return the window of the model as it is loaded, or as its file sets it. Ollama's own choice is not known
    before."""
    loaded_tokens = _tokens(loaded, "context_length")
    if loaded_tokens:
        return loaded_tokens
    in_file = _NUM_CTX.search(_text(about, "parameters"))
    return int(in_file[1]) if in_file else None


def _context_made_for(about: Item) -> int | None:
    facts = _object(about, "model_info")
    return _tokens(facts, f"{facts.get('general.architecture')}.context_length")


def _read_llama_cpp(place: Place) -> LocalServer | None:
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
    items = place.ask("/v1/models").items("data")
    if items is None:
        raise NoAnswerError(Said(_UNREADABLE, program=LLAMA_CPP.title))
    # A router serves several models and loads them as they are asked for: what /props says is of none of them.
    is_alone = len(items) == 1 and props.value.get("role") != "router"
    models = []
    for item in items:
        name = _text(item, "id")
        meta = _object(item, "meta")
        context_tokens = _tokens(meta, "n_ctx")
        if is_alone:
            name = _file_name(name)
            context_tokens = _tokens(settings, "n_ctx") or context_tokens
        models.append(_Served(name, context_tokens, _tokens(meta, "n_ctx_train")))
    return _make_server(place, LLAMA_CPP, models, len(items))


def _file_name(name: str) -> str:
    """Return the name of a file of weights, without the folders of this machine: ``/weights/my model.gguf`` is
    ``my-model``. A server with one model answers under any name."""
    if not name.endswith(".gguf"):
        return name
    file_name = re.split(r"[/\\]", name)[-1].removesuffix(".gguf")
    return re.sub(r"\s+", "-", file_name)


def _smallest_window(item: Item) -> int | None:
    """Return the smallest window of the instances that are loaded: which of them answers is not known."""
    instances = item.get("loaded_instances")
    if not isinstance(instances, list):
        return None
    windows = []
    for instance in instances:
        if isinstance(instance, dict):
            windows.append(_tokens(_object(instance, "config"), "context_length"))
    return min(filter(None, windows), default=None)


def _loaded_window(item: Item) -> int | None:
    return _tokens(item, "loaded_context_length")


class _LMStudioVersion(NamedTuple):
    """The protocol of some versions of LM Studio."""

    path: str
    items: str
    """The name of the list of models."""
    mark: str
    """Every model has this, which tells the protocol from others."""
    name: str
    embeds: str
    """The type of models that only embed texts."""
    window_of: Callable[[Item], int | None]


_LM_STUDIO_VERSIONS = (
    _LMStudioVersion(
        "/api/v1/models",
        "models",
        "loaded_instances",
        "key",
        "embedding",
        _smallest_window,
    ),
    _LMStudioVersion(
        "/api/v0/models", "data", "state", "id", "embeddings", _loaded_window
    ),
)
"""The protocols of LM Studio from version 0.4 on, and of those before."""


def _read_lm_studio(place: Place) -> LocalServer | None:
    for version in _LM_STUDIO_VERSIONS:
        items = place.ask(version.path).items(version.items)
        if items is None or not all(version.mark in item for item in items):
            continue
        models = []
        for item in items:
            if item.get("type") != version.embeds:
                longest_tokens = _tokens(item, "max_context_length")
                name = _text(item, version.name)
                models.append(_Served(name, version.window_of(item), longest_tokens))
        return _make_server(place, LM_STUDIO, models, len(items))
    return None


def _read_openai_like(place: Place) -> LocalServer | None:
    """Return vLLM, or any other server that speaks OpenAI's protocol. LM Studio did no more before version 0.3.6, and
    is known by its usual port."""
    answer = place.ask("/v1/models")
    if answer.wants_key:
        raise NoAnswerError(Said(_WANTS_KEY))
    items = answer.items("data")
    if items is None or not all(isinstance(item.get("id"), str) for item in items):
        return None
    program = OPENAI_LIKE
    if any(item.get("owned_by") == "vllm" for item in items):
        program = VLLM
    elif place.port == LM_STUDIO.port:
        program = LM_STUDIO
    models = []
    for item in items:
        context_tokens = _tokens(item, "max_model_len")
        context_tokens = context_tokens or _tokens(_object(item, "meta"), "n_ctx")
        models.append(_Served(_text(item, "id"), context_tokens))
    return _make_server(place, program, models, len(items))
