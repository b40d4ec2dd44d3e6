"""Programs that serve models on one's own machine, and where they listen unless they are told otherwise."""

from typing import NamedTuple

from memviz.models.provider_keys import address_variables, provider_of

LOOPBACK = "127.0.0.1"


class Program(NamedTuple):
    """A program that serves models. ``prefix`` is litellm's name for it, ``port`` the usual one, ``path`` what a base
    URL has behind the port."""

    title: str
    prefix: str
    port: int
    path: str = "/v1"


OLLAMA = Program("Ollama", "ollama_chat", 11434, "")
"""By its own protocol: a name without an address then never leaves this machine, and the window can be set
(``num_ctx``), which Ollama's imitation of OpenAI's protocol does not take. Both stream, count tokens and call tools."""
LLAMA_CPP = Program("llama.cpp", "llamafile", 8080)
"""A llamafile is llama.cpp's server with its weights in one file."""
LM_STUDIO = Program("LM Studio", "lm_studio", 1234)
VLLM = Program("vLLM", "hosted_vllm", 8000)
OPENAI_LIKE = Program("OpenAI's protocol", "hosted_vllm", 0)
"""Any other server that speaks it. The prefix is not ``openai/``: a name that has lost its address, as one from a link
has, would send the conversation to OpenAI."""
PROGRAMS = (OLLAMA, LLAMA_CPP, LM_STUDIO, VLLM)

_PREFIXES = frozenset(program.prefix for program in PROGRAMS) | {"ollama"}


def is_self_hosted(model: str) -> bool:
    """Return whether the name says that the model runs on a server of the user's own."""
    return provider_of(model) in _PREFIXES


def usual_address(model: str) -> str | None:
    """The base URL of a model that was named without one: this machine, at the usual port of the program that its
    prefix names. ``None`` where an environment variable names another one, and for all other models.

    Without it litellm would ask OpenAI. For Ollama it knows the address itself.
    """
    provider = provider_of(model)
    for program in (LLAMA_CPP, LM_STUDIO, VLLM):
        if program.prefix == provider and not address_variables(provider):
            return f"http://{LOOPBACK}:{program.port}{program.path}"
    return None
