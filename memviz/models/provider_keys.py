"""The environment variables that hold API keys, by their provider, and the programs that serve
models on this machine without one, with where they listen unless they are told otherwise.
Known without importing litellm.
"""

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from memviz.models.prices import json_file, price

OWN_ACCOUNT = ("bedrock", "sagemaker", "vertex_ai", "github_copilot", "chatgpt")
"""Providers that find a key by other means than a variable: credential files, roles, a browser."""
OWN_SIGN_IN = (*OWN_ACCOUNT, "ollama", "lemonade", "offline")
"""Providers that need no key of a variable: those with other means, and those that ask for none."""
_KEY_VARIABLES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    # Of each group one variable has to be set.
    "ai21": (("AI21_API_KEY",),),
    "anthropic": (("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),),
    "azure": (("AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_AD_TOKEN"), ("AZURE_API_BASE",)),
    "azure_ai": (("AZURE_AI_API_KEY",), ("AZURE_AI_API_BASE",)),
    "cerebras": (("CEREBRAS_API_KEY",),),
    "codestral": (("CODESTRAL_API_KEY",),),
    "cohere": (("COHERE_API_KEY", "CO_API_KEY"),),
    "cohere_chat": (("COHERE_API_KEY", "CO_API_KEY"),),
    "dashscope": (("DASHSCOPE_API_KEY",),),
    "deepinfra": (("DEEPINFRA_API_KEY",),),
    "deepseek": (("DEEPSEEK_API_KEY",),),
    "fireworks_ai": (
        ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
    ),
    "gemini": (("GEMINI_API_KEY", "GOOGLE_API_KEY"),),
    "groq": (("GROQ_API_KEY",),),
    "mistral": (("MISTRAL_API_KEY",),),
    "moonshot": (("MOONSHOT_API_KEY",),),
    "nebius": (("NEBIUS_API_KEY",),),
    "novita": (("NOVITA_API_KEY",),),
    "nvidia_nim": (("NVIDIA_NIM_API_KEY",),),
    "openai": (("OPENAI_API_KEY",),),
    "openrouter": (("OPENROUTER_API_KEY", "OR_API_KEY"),),
    "perplexity": (("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),),
    "sambanova": (("SAMBANOVA_API_KEY",),),
    "together_ai": (("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"),),
    "xai": (("XAI_API_KEY",),),
    "zai": (("ZAI_API_KEY",),),
}  # fmt: skip
LOOPBACK = "127.0.0.1"


@cache
def key_variables() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """For each provider groups of variables, of which each needs one set. The small providers come from litellm."""
    variables: dict[str, tuple[tuple[str, ...], ...]] = {}
    for provider, about in json_file("llms/openai_like/providers.json").items():
        name = about.get("api_key_env") if isinstance(about, dict) else None
        if name:
            variables[provider] = ((name,),)
    return variables | dict(_KEY_VARIABLES)


def provider_of(model: str) -> str:
    """The provider that serves ``model``: its prefix, or whom the price file names; empty if unknown."""
    prefix, slash, _ = model.partition("/")
    if slash:
        return prefix
    list_price = price(model)
    return list_price.provider if list_price else ""


def address_variables(provider: str) -> Mapping[str, str]:
    """The environment variables that are set and say where ``provider`` is reached, with their values."""
    prefix = re.split(r"[_-]", provider)[0].upper()
    # "OPENAI_BASE_URL", "AZURE_AI_API_BASE"
    says_address = re.compile(rf"{re.escape(prefix)}\w*_(API_BASE|BASE_URL)")
    return {
        name: value
        for name, value in sorted(os.environ.items())
        if value and says_address.fullmatch(name)
    }


def missing_keys(model: str) -> tuple[str, ...]:
    """The environment variables that ``model`` needs and that are not set, one of each group of alternatives.

    Empty when nothing is missing or when it is not known what the provider needs.
    """
    groups = key_variables().get(provider_of(model), ())
    return tuple(group[0] for group in groups if not _is_set(group))


def _is_set(variables: Iterable[str]) -> bool:
    return any(os.environ.get(name) for name in variables)


class Program(NamedTuple):
    """A program that serves models."""

    title: str
    prefix: str
    """The name that litellm has for it."""
    port: int
    """The port that it usually listens at."""
    path: str = "/v1"
    """The part of a base URL behind the port."""


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
