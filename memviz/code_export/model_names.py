"""A model's name as each library spells it. memviz spells it as litellm does: ``provider/model``."""

from __future__ import annotations

from memviz.code_export.base import OFFLINE, Setting
from memviz.code_export.python_text import one_line

OPENAI = "openai"


def _parts(name: str) -> tuple[str, str]:
    provider, slash, rest = name.partition("/")
    return (provider, rest) if slash else (OPENAI, name)


def is_openai(*names: str) -> bool:
    """Whether all of these are OpenAI's own models."""
    return all(_parts(name)[0] == OPENAI for name in names)


def without_provider(name: str) -> str:
    """``gpt-5-mini``: how the provider's own API spells it."""
    return _parts(name)[1]


def for_langchain(name: str) -> str:
    """``openai:gpt-5-mini``; models of others by way of litellm, so that no name has to be guessed."""
    return f"openai:{_parts(name)[1]}" if is_openai(name) else f"litellm:{name}"


def for_openai_agents(name: str) -> str:
    """``gpt-5-mini``; models of others by way of litellm."""
    return _parts(name)[1] if is_openai(name) else f"litellm/{name}"


def langchain_package(*names: str) -> str:
    """What to install beside LangChain to reach these models."""
    return " ".join(
        ["langchain-openai"] * any(is_openai(name) for name in names)
        + ["langchain-litellm"] * (not is_openai(*names))
    )


def summarizer_difference(setting: Setting) -> str:
    """Return who wrote the summaries that were simulated, and who will write them."""
    wrote, writes = one_line(setting.summarizer), one_line(setting.summary_model)
    if setting.summarizer == OFFLINE:
        return (
            f"memviz's offline stand-in wrote the summaries there; here {writes} writes them. A model words them "
            "differently and at another length, so what a summary keeps and costs differs."
        )
    if wrote == writes:
        return f"{wrote} wrote the summaries there and writes them here, but no two times in the same words."
    return f"{wrote} wrote the summaries there; here {writes} writes them, in other words and at another length."
