"""The code for AutoGen: the context of the exported agent, run with that library, sends what memviz simulated."""

from __future__ import annotations

import asyncio
import sys
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest

import memviz
from memviz import Log, Message
from memviz.code_export import NoCodeError, Setting, targets
from memviz.transcripts.samples import bundled
from tests.code_export.running import load, requests, setting, talk, with_code

pytest.importorskip("autogen_core")

from tests.strategies.libraries.autogen_context import from_library, to_library


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for the packages with the agent and the models, which need a provider to talk to."""
    for name, defined in {
        "autogen_agentchat.agents": "AssistantAgent",
        "autogen_ext.models.openai": "OpenAIChatCompletionClient",
    }.items():
        module = ModuleType(name)
        setattr(module, defined, None)
        monkeypatch.setitem(sys.modules, name, module)


def sent(context: Any, messages: list[Message]) -> list[list[dict[str, Any]]]:
    """What an agent with this context sends with each request of the conversation, but for the system prompt."""

    async def held() -> list[list[dict[str, Any]]]:
        found, log = [], Log(messages)
        asked = [*log.requests(), *([log.pending] if log.pending else [])]
        for done, stop in pairwise([0, *(request.stop for request in asked)]):
            for message in to_library(list(log[done:stop])):
                await context.add_message(message)
            found.append(
                [
                    message.to_request()
                    for message in from_library(await context.get_messages())
                ]
            )
        return found

    return asyncio.run(held())


@pytest.mark.parametrize("id", with_code("autogen"))
@pytest.mark.parametrize("sample", ["trip", "support"])
def test_the_context_sends_what_memviz_simulated(sample: str, id: str) -> None:
    messages, wanted = list(bundled()[sample].messages), setting(id)
    assert sent(load("autogen", wanted)["build_context"](), messages) == [
        m for _, m in requests(messages, wanted)
    ]


def named(wanted: Setting, words: str) -> bool:
    return words in targets()["autogen"].write(wanted).replace("\n#   ", " ")


def test_the_first_of_several_questions_may_be_skipped() -> None:
    wanted = setting("head_and_tail", parameters={"head_size": 1, "tail_size": 1})
    assert named(wanted, "memviz always sends the input")
    messages = [*talk(3), Message("user", "And?"), Message("user", "Well?")]
    found = sent(load("autogen", wanted)["build_context"](), messages)[-1]
    assert [message["content"] for message in found][1:] == [
        "Skipped 6 messages.",
        "Well?",
    ]
    simulated = requests(messages, wanted)[-1][1]
    assert [message["content"] for message in simulated][1:] == [
        "Skipped 5 messages.",
        "And?",
        "Well?",
    ]


def test_a_model_of_another_provider_needs_its_own_client() -> None:
    assert named(
        setting("buffer", model="anthropic/claude-sonnet-4-5"),
        "Put the client of your provider in its place",
    )
    assert not named(setting("buffer"), "Put the client")


def test_what_autogen_has_no_context_for_is_said() -> None:
    with pytest.raises(NoCodeError, match="There is no code for AutoGen"):
        targets()["autogen"].write(setting("summary"))
    assert with_code("autogen") == [
        id for id in memviz.strategies() if id in ("buffer", "head_and_tail")
    ]
