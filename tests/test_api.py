"""The public names: each there, callable as documented, and at work in three lines."""

from __future__ import annotations

import asyncio
import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memviz
from memviz import Fate, Message, Recall, ScriptedModel
from tests.tables import for_each

TALK = [
    {"role": role, "content": f"{role} {n}"}
    for n in range(6)
    for role in ("user", "assistant")
]
HEAVY = ("litellm", "streamlit", "plotly", "pandas", "tiktoken")


def a_run() -> memviz.Run:
    model = ScriptedModel(
        f"{number} summary" for number in ("first", "second", "third")
    )
    return memviz.replay(
        TALK,
        memviz.strategy("summary", buffer_size=2),
        model=model,
        counter="chars4",
        system_prompt="Be brief.",
        recalls={3: Recall(turns=[1], last_n=1)},
    )


class TestNames:
    def test_all_of_them_are_there(self) -> None:
        assert [name for name in memviz.__all__ if not hasattr(memviz, name)] == []
        assert sorted(memviz.__all__) == sorted(set(memviz.__all__))

    @for_each(
        ("call", "arguments"),
        [
            (
                lambda: memviz.Message,
                "role content name=None tool_calls=() tool_call_id=None meta=None",
            ),
            (lambda: memviz.Recall, "turns=() messages=() last_n=None keywords=()"),
            (
                lambda: memviz.replay,
                "messages strategy model='offline' counter='o200k_base' system_prompt=None recalls=None",
            ),
            (
                lambda: memviz.Chat,
                "strategy model='offline' counter='o200k_base' system_prompt=None",
            ),
            (
                lambda: memviz.model,
                "name api_key=None api_base=None timeout=60.0 retries=2",
            ),
            (lambda: memviz.ScriptedModel, "script"),
            (
                lambda: memviz.ChatMemory,
                "strategy model='offline' counter='o200k_base' system_prompt=None",
            ),
            (
                lambda: memviz.ChatMemory.recall_conversation,
                "turn_numbers=() message_indices=() last_n=None",
            ),
            (
                lambda: memviz.build_chat_memory,
                "llm token_limit=64000 summarize_prompt=None chat_store=None chat_store_key='default'",
            ),
            (lambda: memviz.load_memory_config, "path='configs/memory.yaml'"),
            (lambda: memviz.load_transcript, "source format=None"),
            (
                lambda: memviz.Chat.recall,
                "turns=() messages=() last_n=None keywords=()",
            ),
        ],
    )
    def test_take_what_is_documented(
        self, call: Callable[[], Any], arguments: str
    ) -> None:
        parameters = {
            name: ""
            if parameter.default is parameter.empty
            else f"={parameter.default!r}"
            for name, parameter in inspect.signature(call()).parameters.items()
            if name != "self"
        }
        for documented in arguments.split():
            name, equals, default = documented.partition("=")
            assert parameters.get(name) == equals + default

    def test_an_unknown_one_is_an_attribute_error(self) -> None:
        with pytest.raises(AttributeError, match="no_such_name"):
            memviz.no_such_name  # noqa: B018


class TestStrategies:
    def test_carry_title_line_reference_and_schema(self) -> None:
        cls = memviz.strategies()["summary_buffer"]
        assert (cls.title, cls.reference[:14]) == ("Summary buffer", "Summary-buffer")
        assert cls.summary_line().startswith("Keeps messages")
        assert (
            cls.model_json_schema()["properties"]["max_token_limit"]["default"] == 500
        )

    def test_are_made_by_name(self) -> None:
        assert memviz.strategy("summary_buffer", max_token_limit=7).max_token_limit == 7  # type: ignore[attr-defined]
        assert isinstance(memviz.strategy("window"), memviz.Strategy)

    def test_counters_count(self) -> None:
        assert memviz.counter("o200k_base")("Hello world") == 2


class TestRun:
    def test_turns_hold_every_request(self) -> None:
        record = a_run().turns[2]
        assert isinstance(record, memviz.TurnRecord)
        assert (record.turn, record.reply, record.reply_tokens, record.flags) == (
            3,
            "assistant 2",
            2,
            (),
        )
        assert [block.kind for block in record.context.blocks] == [
            "system",
            "summary",
            "history",
            "recalled",
            "input",
        ]
        assert [block.indices for block in record.context.blocks] == [
            (),
            (0, 1, 2),
            (3,),
            (0, 1),
            (4,),
        ]
        assert [block.tokens for block in record.context.blocks] == [2, 11, 2, 3, 1]
        assert [message.content for message in record.context.messages] == [
            "Be brief.",
            "Summary of earlier conversation: first summary",
            "assistant 1",
            "user 0",
            "assistant 0",
            "user 2",
        ]
        expected = {
            "system": 2,
            "summary": 11,
            "recalled": 3,
            "history": 2,
            "input": 1,
            "overhead": 27,
        }
        assert record.tokens == expected

    def test_compactions_say_when_why_and_what(self) -> None:
        run = a_run()
        compaction = run.compactions[1]
        assert isinstance(compaction, memviz.Compaction)
        assert run.turns[4].compactions == (compaction,)
        assert (compaction.after_message, compaction.reason) == (
            7,
            "5 messages > 2 x 2",
        )
        assert (compaction.summarized, compaction.summary, compaction.error) == (
            range(3, 6),
            "second summary",
            None,
        )
        said = ["assistant: assistant 1", "user: user 2", "assistant: assistant 2"]
        assert compaction.prompt.splitlines()[-4:] == [
            "system: Previous summary: first summary",
            *said,
        ]
        assert (compaction.tokens_before, compaction.tokens_after) == (
            2 + 11 + 2 + 1 + 2 + 1 + 2,
            2 + 11 + 1 + 2,
        )
        assert compaction.seconds >= 0
        assert compaction.cost is None

    def test_summaries_have_versions(self) -> None:
        summary = a_run().summaries[1]
        assert (summary.version, summary.turn, summary.text) == (2, 4, "second summary")
        assert (summary.tokens, summary.covers) == (3, range(6))

    def test_fates_and_generations_are_tables(self) -> None:
        run = a_run()
        assert run.fates().shape == run.generations().shape == (6, 12)
        assert Fate(run.fates()[2, 0]) is Fate.RECALLED
        assert run.generations()[5].tolist() == [3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0]

    def test_comes_as_a_table_and_as_json(self) -> None:
        run = a_run()
        assert list(run.frame()["turn"]) == [1, 2, 3, 4, 5, 6]
        assert (
            memviz.Run.from_dict(json.loads(json.dumps(run.to_dict()))).to_dict()
            == run.to_dict()
        )

    def test_replays_a_transcript(self, tmp_path: Path) -> None:
        (tmp_path / "talk.json").write_text(json.dumps(TALK))
        transcript = memviz.load_transcript(tmp_path / "talk.json")
        assert (
            transcript.title,
            transcript.format,
            transcript.probes,
            transcript.warnings,
        ) == (
            "talk",
            "role_content",
            (),
            (),
        )
        assert (
            memviz.load_transcript((tmp_path / "talk.json").read_bytes()).messages
            == transcript.messages
        )
        assert len(memviz.replay(transcript, memviz.strategy("buffer")).turns) == 6


class TestChat:
    def test_sends_and_streams(self) -> None:
        chat = memviz.Chat(
            memviz.strategy("window"),
            model=ScriptedModel(["Hi.", "Fine."]),
            counter="chars4",
        )
        assert chat.send("Hello").reply == "Hi."
        assert "".join(chat.stream("How are you?")) == "Fine."
        assert [record.turn for record in chat.run.turns] == [1, 2]

    def test_recalls_and_compares(self) -> None:
        chat = memviz.Chat(
            memviz.strategy("window", window_size=1),
            model=ScriptedModel(["Hi."] * 4),
            counter="chars4",
        )
        chat.send("My budget is 900.")
        chat.send("Thanks.")
        recalled = chat.recall(turns=[1], messages=[40], last_n=1, keywords=["budget"])
        assert isinstance(recalled, memviz.Recalled)
        assert (
            [m.content for m in recalled.messages],
            recalled.missing,
            recalled.cut,
        ) == (
            ["My budget is 900.", "Hi.", "Hi."],
            ("message 40",),
            0,
        )
        chat.clear_recalled()
        assert chat.send("So?").context.block("recalled") is None
        assert chat.replay_with(memviz.strategy("buffer")).turns[
            2
        ].context.messages == tuple(chat.log[:5])

    def test_offline_model_answers(self) -> None:
        chat = memviz.Chat(memviz.strategy("buffer"), model=memviz.model("offline"))
        assert chat.send("My daughter is called Mira.").reply
        assert "Mira" in chat.send("What is my daughter called?").reply


class TestModels:
    def test_scripted_model_gives_texts_and_replies_and_raises(self) -> None:
        model = ScriptedModel(
            [
                "text",
                memviz.Reply("reply", usage=memviz.Usage(3, 1)),
                memviz.ModelError("down"),
            ]
        )
        assert [model.complete([]).text for _ in range(2)] == ["text", "reply"]
        for error in (memviz.ModelError, memviz.ScriptExhausted):
            with pytest.raises(error):
                model.complete([Message("user", "x")])
        assert len(model.requests) == 4

    def test_other_models_are_named_as_litellm_does(self) -> None:
        model = memviz.model(
            "openai/gpt-5-mini",
            api_key="sk-0123456789",
            api_base="http://127.0.0.1:1",
            timeout=5,
            retries=0,
        )
        assert isinstance(model, memviz.Model)
        assert model.name == "openai/gpt-5-mini"


class TestMemories:
    def memory(self) -> memviz.ChatMemory:
        memory = memviz.ChatMemory(
            memviz.strategy("summary", buffer_size=1), model=ScriptedModel(["s"] * 9)
        )
        memory.set(TALK[:5])
        return memory

    def test_append_and_load(self) -> None:
        memory = self.memory()
        memory.append({"role": "assistant", "content": "a"})
        assert memory.load()[0] == Message(
            "system", "Summary of earlier conversation: s"
        )
        memory.clear()
        assert memory.load() == []
        store = memviz.MemoryStore(memviz.strategy("buffer"))
        store.append("user-1", Message("user", "Hello"))
        assert store.load("user-1") == [Message("user", "Hello")]

    def test_put_and_get(self) -> None:
        memory = self.memory()
        memory.put(Message("assistant", "a"))
        assert memory.get() == memory.load()
        assert len(memory.get_all()) == 6
        memory.reset()
        assert memory.get_all() == []

    def test_async_twins(self) -> None:
        memory = self.memory()
        asyncio.run(memory.aput(Message("assistant", "a")))
        assert asyncio.run(memory.aget()) == memory.get()

    def test_recall(self) -> None:
        memory = self.memory()
        recalled = memory.recall_conversation(
            turn_numbers=[1], message_indices=[2], last_n=None
        )
        assert recalled.indices == (0, 1, 2)
        assert [message.content for message in memory.history_for_prompt()] == [
            "user 0",
            "assistant 0",
            "user 1",
        ]
        memory.clear_recalled_messages()
        assert memory.history_for_prompt() == []

    def test_built_in_one_call(self) -> None:
        memory = memviz.build_chat_memory(None, **memviz_settings())
        memory.put(Message("user", "Hello"))
        assert memory.get() == [Message("user", "Hello")]


def memviz_settings() -> dict[str, Any]:
    config = memviz.load_memory_config(
        Path(__file__).parent.parent / "configs" / "memory.yaml"
    )["memory"]
    return {name: config[name] for name in ("token_limit", "summarize_prompt")}


def heavy_modules_after(code: str) -> list[str]:
    code += f"\nimport json, sys\nprint(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


class TestWeight:
    def test_importing_memviz_loads_nothing_heavy(self) -> None:
        assert (
            heavy_modules_after(
                "import memviz; memviz.Chat, memviz.model, memviz.strategies()"
            )
            == []
        )

    @pytest.mark.slow
    def test_a_replay_with_the_offline_model_loads_neither_litellm_nor_streamlit(
        self,
    ) -> None:
        code = """
import memviz
talk = [{"role": role, "content": f"My number is {n}. " * 40} for n in range(6) for role in ("user", "assistant")]
run = memviz.replay(talk, memviz.strategy("summary", buffer_size=1))
assert run.summaries and run.fates().any()
"""
        assert heavy_modules_after(code) == ["tiktoken"]

    def test_naming_a_model_does_not_load_litellm(self) -> None:
        assert (
            heavy_modules_after(
                "import memviz; memviz.model('openai/gpt-5-mini', api_key='sk-0123456789')"
            )
            == []
        )
