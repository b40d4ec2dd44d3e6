"""The code for LangChain's classic memory, run with that library, and every difference that is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

import memviz
from memviz import Message, ScriptedModel
from memviz.code_export import Setting, targets
from memviz.transcripts.samples import bundled
from tests.code_export.running import (
    load,
    pairs,
    requests,
    setting,
    talk,
    texts,
    with_code,
)

pytest.importorskip("langchain_classic")

from tests.code_export.fake_langchain import Answering

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::UserWarning"
)


def numbered() -> Iterator[str]:
    return (f"Summary {number}" for number in count(1))


class Held:
    """A conversation held with the exported memory: what was asked of the model, and of the summarizer."""

    def __init__(
        self,
        wanted: Setting,
        talked: list[Message],
        summary: Callable[[Any], str] | None = None,
    ) -> None:
        names, summaries = load("langchain_classic", wanted), numbered()
        counter = names.get("ENCODING")
        token_ids = counter.encode_ordinary if counter else names.get("token_ids")
        self.summarizer = Answering(
            answer=summary or (lambda _: next(summaries)),
            custom_get_token_ids=token_ids,
        )
        self.memory = names["build_memory"](self.summarizer)
        replies = iter([reply for _, reply in pairs(talked)])
        llm = Answering(answer=lambda _: next(replies))
        self.errors = 0
        for question, _ in pairs(talked):
            try:
                names["ask"](llm, self.memory, question)
            except ConnectionError:
                self.errors += 1
        self.requests = llm.requests


def simulated(wanted: Setting, talked: list[Message]) -> list[list[tuple[str, str]]]:
    return [
        texts(sent) for _, sent in requests(talked, wanted, ScriptedModel(numbered()))
    ]


def named(id: str, words: str) -> bool:
    return words in targets()["langchain_classic"].write(setting(id)).replace(
        "\n#   ", " "
    )


@pytest.mark.parametrize(
    ("id", "parameters"),
    [
        ("buffer", {}),
        ("window", {"window_size": 1}),
        ("window", {"window_size": 7}),
        ("recent_only", {}),
        ("summary", {}),
        ("summary_only", {}),
    ],
)
def test_it_sends_what_memviz_simulated(id: str, parameters: dict[str, int]) -> None:
    talked, wanted = (
        list(bundled()["trip"].messages),
        setting(id, parameters=parameters, system_prompt="Be kind."),
    )
    assert Held(wanted, talked).requests == simulated(wanted, talked)


def failing(messages: Any) -> str:
    raise ConnectionError("no answer")


class TestDifferences:
    """Each is named in the file, and the library really does so."""

    @pytest.mark.parametrize("window_size", [2, 4, 10])
    def test_an_even_window_sends_one_message_more(self, window_size: int) -> None:
        wanted, talked = (
            setting("window", parameters={"window_size": window_size}),
            talk(9),
        )
        assert f"sends {window_size + 1} messages" in targets()[
            "langchain_classic"
        ].write(wanted).replace("\n#   ", " ")
        library, memvizs = (
            Held(wanted, talked).requests[-1],
            simulated(wanted, talked)[-1],
        )
        assert (len(library), len(memvizs)) == (window_size + 1, window_size)
        assert library[1:] == memvizs
        assert library[0][0] == "user"

    def test_an_odd_window_differs_in_nothing_but_its_age(self) -> None:
        text = targets()["langchain_classic"].write(
            setting("window", parameters={"window_size": 11})
        )
        assert "K = 5  # exchanges" in text
        assert text.count("\n# - ") == 1

    @pytest.mark.parametrize("counter", ["o200k_base", "chars4"])
    def test_the_question_stands_outside_the_limit_and_roles_count(
        self, counter: str
    ) -> None:
        assert named("token_buffer", "the question stands outside the limit")
        assert named("token_buffer", "each message with its role in front")
        wanted, talked = (
            setting("token_buffer", parameters={"max_tokens": 60}, counter=counter),
            talk(6),
        )
        held, count = Held(wanted, talked), memviz.counter(counter)
        for sent in held.requests:
            prefixed = [
                f"{'Human' if role == 'user' else 'AI'}: {text}"
                for role, text in sent[:-1]
            ]
            assert sum(map(count, prefixed)) <= 60
        assert held.requests[-1] != simulated(wanted, talked)[-1]

    def test_what_does_not_fit_is_removed_for_good(self) -> None:
        assert named("token_buffer", "removed from chat_memory for good")
        held = Held(setting("token_buffer", parameters={"max_tokens": 60}), talk(6))
        assert 0 < len(held.memory.chat_memory.messages) < 6

    def test_it_summarizes_every_turn_once_the_limit_is_reached(self) -> None:
        assert named("summary_buffer", "every turn calls the summarizer")
        wanted, talked = (
            setting("summary_buffer", parameters={"max_token_limit": 100}),
            talk(20),
        )
        run = memviz.replay(talked, wanted.strategy, model=ScriptedModel(numbered()))
        held = Held(wanted, talked)
        first = next(
            i for i, sent in enumerate(held.requests) if sent[0][0] == "system"
        )
        assert (
            len(held.summarizer.requests)
            == len(held.requests) - first + 1
            > 2 * len(run.compactions)
        )

    def test_the_summary_does_not_count(self) -> None:
        assert named("chat_summary_buffer", "does not count toward max_token_limit")
        wanted, long = (
            setting("chat_summary_buffer", parameters={"token_limit": 100}),
            "very long " * 60,
        )
        held = Held(wanted, talk(10), lambda _: long)
        sent, count = held.requests[-1], memviz.counter("o200k_base")
        assert sent[0] == ("system", long)
        assert sum(count(text) for _, text in sent) > 100
        assert (
            len(sent) > 2
        )  # memviz would have no room for any message but the question

    @pytest.mark.parametrize("id", ["summary_buffer", "chat_summary_buffer"])
    def test_a_failing_summarizer_loses_messages(self, id: str) -> None:
        assert named(id, "are gone from chat_memory and in no summary")
        limit = "max_token_limit" if id == "summary_buffer" else "token_limit"
        held = Held(setting(id, parameters={limit: 100}), talk(10), failing)
        assert held.errors > 0
        assert held.memory.moving_summary_buffer == ""
        assert len(held.memory.chat_memory.messages) < 20

    def test_the_summarizer_reads_one_text_with_the_instruction(self) -> None:
        assert named(
            "chat_summary_buffer",
            "'Human: ...' and 'AI: ...', in one text with the instruction",
        )
        prompt = "Keep {names} and 'dates'."
        wanted = setting(
            "chat_summary_buffer",
            parameters={"token_limit": 100, "summarize_prompt": prompt},
        )
        held = Held(wanted, talk(10))
        ((role, first),) = held.summarizer.requests[0]
        assert role == "user"
        assert first.startswith(prompt)
        assert "Human: user0 word" in first
        assert "Summary 1" in held.summarizer.requests[1][0][1]

    def test_the_system_prompt_cannot_count(self) -> None:
        wanted = setting(
            "chat_summary_buffer", parameters={"count_initial_tokens": True}
        )
        assert "cannot count the system prompt" in targets()["langchain_classic"].write(
            wanted
        ).replace("\n#   ", " ")
        assert not named("chat_summary_buffer", "cannot count the system prompt")


@pytest.mark.parametrize("counter", ["o200k_base", "bytes4"])
@pytest.mark.parametrize("id", with_code("langchain_classic"))
def test_the_example_runs(
    id: str, counter: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names = load("langchain_classic", setting(id, counter=counter))
    names["init_chat_model"] = lambda name, **options: Answering(
        answer=lambda _: f"I am {name}.", **options
    )
    names["main"]()
    assert capsys.readouterr().out == "I am openai:gpt-5-mini.\n" * 2


def test_without_a_model_nothing_is_summarized() -> None:
    names = load("langchain_classic", setting("summary"))
    with pytest.raises(RuntimeError, match="SUMMARIZER"):
        names["summarize"]([{"role": "user", "content": "Hello"}])
