"""The settings file: defaults, and every mistake named with file, key and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import memviz
from memviz import ConfigError
from memviz.engine.memory_config import strategy_of

SHIPPED = Path(__file__).parents[2] / "configs" / "memory.yaml"
DEFAULTS = {"token_limit": 64000, "summarize_prompt": None, "persistence": None}
SHIPPED_VALUES = DEFAULTS | {"persistence": "sqlite:///memory.db"}


def load(folder: Path, text: str, encoding: str = "utf-8") -> dict[str, dict[str, Any]]:
    path = folder / "memory.yaml"
    path.write_text(text, encoding=encoding)
    return memviz.load_memory_config(path)


def test_the_shipped_file_holds_the_defaults_and_keeps_what_is_said() -> None:
    assert (
        memviz.load_memory_config(SHIPPED)
        == memviz.load_memory_config(str(SHIPPED))
        == {"memory": SHIPPED_VALUES}
    )


def test_the_shipped_file_shows_every_setting() -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    assert all(f"  {key}:" in text for key in DEFAULTS)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("", {}),
        ("# nothing\n", {}),
        ("memory:\n", {}),
        ("memory: {}\n", {}),
        ("memory:\n  token_limit: 1\n", {"token_limit": 1}),
        ("memory:\n  persistence: chats/搬家.db\n", {"persistence": "chats/搬家.db"}),
        ("memory:\n  persistence: memory\n", {"persistence": "memory"}),
        ("memory:\n  persistence: sqlite:///a.db\n", {"persistence": "sqlite:///a.db"}),
        (
            "memory:\n  persistence: {enabled: false}\n",
            {"persistence": {"enabled": False}},
        ),
        (
            "memory:\n  summarize_prompt: |\n    Be brief.\n    Or not.\n",
            {"summarize_prompt": "Be brief.\nOr not.\n"},
        ),
        (
            "memory: {token_limit: 7, summarize_prompt: '5'}",
            {"token_limit": 7, "summarize_prompt": "5"},
        ),
        ("\ufeffmemory:\r\n  token_limit: 3\r\n", {"token_limit": 3}),
    ],
)
def test_what_is_not_said_has_its_default(
    tmp_path: Path, text: str, changed: dict[str, Any]
) -> None:
    assert load(tmp_path, text) == {"memory": DEFAULTS | changed}


def test_one_file_does_not_change_the_next(tmp_path: Path) -> None:
    load(tmp_path, "memory:\n  token_limit: 1\n")["memory"]["persistence"] = "x"
    assert load(tmp_path, "") == {"memory": DEFAULTS}


M, P = "memory", "memory.parameters"
LIMIT, PROMPT, PLACE = (
    "memory.token_limit",
    "memory.summarize_prompt",
    "memory.persistence",
)
WRONG = {
    "unknown section": ("storage:\n  path: x\n", "storage", 1, "known is memory"),
    "unknown key": (
        "# settings\nmemory:\n  token_limt: 3\n",
        "memory.token_limt",
        3,
        "known are token_limit",
    ),
    "merged keys": ("memory:\n  <<: {token_limit: 3}\n", "memory.<<", 2, "unknown"),
    "zero": ("memory:\n  token_limit: 0\n", LIMIT, 2, "1 or more"),
    "negative": ("memory:\n  persistence: a\n\n  token_limit: -5\n", LIMIT, 4, "-5"),
    "fraction": ("memory:\n  token_limit: 2.5\n", LIMIT, 2, "whole number of tokens"),
    "number as text": ("memory:\n  token_limit: '64000'\n", LIMIT, 2, "'64000'"),
    "truth as number": ("memory:\n  token_limit: yes\n", LIMIT, 2, "True"),
    "no number": ("memory:\n  token_limit:\n", LIMIT, 2, "None"),
    "list as number": ("memory:\n  token_limit: [1, 2]\n", LIMIT, 2, "[1, 2]"),
    "number as text setting": (
        "memory:\n  summarize_prompt: 5\n",
        PROMPT,
        2,
        "text or null",
    ),
    "date as path": (
        "memory:\n  persistence: 2026-01-01\n",
        PLACE,
        2,
        "the path of a file",
    ),
    "no path": ("memory:\n  persistence: ''\n", PLACE, 2, "the path of a file"),
    "backend without a file": (
        "memory:\n  persistence: sqlite\n",
        PLACE,
        2,
        "sqlite:///memory.db",
    ),
    "another database": (
        "memory:\n  persistence: mysql://x/y\n",
        PLACE,
        2,
        "memviz has: memory, sqlite",
    ),
    "another backend": (
        "memory:\n  persistence:\n    backend: redis\n    connection_string: x\n",
        PLACE,
        2,
        "has: memory, sqlite",
    ),
    "another database in the mapping": (
        "memory:\n  persistence: {connection_string: mysql://x}\n",
        PLACE,
        2,
        "memviz has: memory, sqlite",
    ),
    "no connection string": (
        "memory:\n  persistence: {backend: sqlite}\n",
        PLACE,
        2,
        "connection_string",
    ),
    "unknown key of persistence": (
        "memory:\n  persistence: {path: x}\n",
        PLACE,
        2,
        "not path",
    ),
    "enabled as text": (
        "memory:\n  persistence: {enabled: 'no'}\n",
        PLACE,
        2,
        "true or false",
    ),
    "list of places": (
        "memory:\n  persistence: [a.db]\n",
        PLACE,
        2,
        "the path of a file",
    ),
    "list for the section": ("memory:\n  - token_limit\n", "memory", 2, "mapping"),
    "list for the file": ("- memory\n", "file", 1, "mapping"),
    "text for the file": ("\n\ntoken_limit\n", "file", 3, "mapping"),
    "tab": (
        "memory:\n\ttoken_limit: 3\n",
        "file",
        2,
        "a tab stands where spaces belong",
    ),
    "colon in a text": (
        "memory:\n  summarize_prompt: In: what\n",
        "file",
        2,
        "put a text that holds one",
    ),
    "open quotation mark": (
        "memory:\n  summarize_prompt: 'In\n",
        "file",
        3,
        "never closed",
    ),
    "indentation": (
        "memory:\n    token_limit: 3\n  counter: chars4\n",
        "file",
        3,
        "indentation",
    ),
    "open bracket": ("memory: [\n", "file", 2, "a bracket is opened"),
    "two documents": ("memory: {}\n---\nmemory: {}\n", "file", 2, "several documents"),
    "unknown alias": ("memory:\n  token_limit: *there\n", "file", 2, "aliases"),
    "unknown tag": ("memory:\n  token_limit: !tokens 3\n", LIMIT, 2, "!tokens"),
    "tag that runs code": (
        "memory:\n  persistence: !!python/object/apply:os.getcwd []\n",
        PLACE,
        2,
        "python/object",
    ),
    "no number after all": ("memory:\n  token_limit: !!int many\n", LIMIT, 2, "many"),
    "no date after all": (
        "memory:\n  persistence: 2026-13-41\n",
        PLACE,
        2,
        "is no date",
    ),
    "value that holds itself": (
        "memory:\n  token_limit: &a [*a]\n",
        "file",
        2,
        "aliases",
    ),
    "unknown strategy": (
        "memory:\n\n  strategy: widow\n",
        f"{M}.strategy",
        3,
        "no strategy named 'widow'",
    ),
    "no strategy": ("memory:\n  strategy: null\n", f"{M}.strategy", 2, "a name"),
    "strategy as number": ("memory:\n  strategy: 7\n", f"{M}.strategy", 2, "7"),
    "unknown counter": ("memory:\n  counter: gpt2\n", f"{M}.counter", 2, "o200k_base"),
    "counter as list": ("memory:\n  counter: [chars4]\n", f"{M}.counter", 2, "a name"),
    "summarizer that is no model": (
        "memory:\n  summarizer: ofline\n",
        f"{M}.summarizer",
        2,
        "offline",
    ),
    "summarizer as truth": (
        "memory:\n  summarizer: on\n",
        f"{M}.summarizer",
        2,
        "True",
    ),
    "unknown parameter": (
        "memory:\n  strategy: window\n  parameters:\n    size: 3\n",
        f"{P}.size",
        4,
        "window_size",
    ),
    "parameter of the default strategy": (
        "memory:\n  parameters: {window_size: 3}\n",
        f"{P}.window_size",
        2,
        "token_limit",
    ),
    "parameter for none": (
        "memory:\n  strategy: buffer\n  parameters:\n    k: 1\n",
        f"{P}.k",
        4,
        "no parameter",
    ),
    "parameter out of range": (
        "memory:\n  strategy: window\n  parameters:\n    window_size: 0\n",
        f"{P}.window_size",
        4,
        "1 or more",
    ),
    "range judged whatever comes first": (
        "memory:\n  parameters:\n    window_size: -1\n  strategy: window\n",
        f"{P}.window_size",
        3,
        "-1",
    ),
    "second parameter": (
        "memory:\n  strategy: recent_only\n  parameters:\n    recent_rounds: 2\n    enable_summarization: 1\n",
        f"{P}.enable_summarization",
        5,
        "true or false",
    ),
    "parameter as text": (
        "memory:\n  strategy: window\n  parameters:\n    window_size: '3'\n",
        f"{P}.window_size",
        4,
        "'3'",
    ),
    "parameter that cannot be read": (
        "memory:\n  strategy: window\n  parameters:\n    window_size: !!int x\n",
        f"{P}.window_size",
        4,
        "x",
    ),
    "list of parameters": ("memory:\n  parameters:\n    - 3\n", P, 3, "mapping"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named_with_file_key_and_line(tmp_path: Path, name: str) -> None:
    text, key, line, words = WRONG[name]
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    error, path = caught.value, str(tmp_path / "memory.yaml")
    assert (error.path, error.key, error.line) == (path, key, line)
    assert str(error).startswith(f"{path}, line {line}: {key}: ")
    assert words in str(error)


@pytest.mark.parametrize("depth", [100, 50_000])
def test_deep_nesting_is_refused(tmp_path: Path, depth: int) -> None:
    with pytest.raises(ConfigError):
        load(tmp_path, "memory:\n  token_limit: " + "[" * depth + "]" * depth)


def test_what_is_no_path_is_refused_in_a_sentence() -> None:
    with pytest.raises(ConfigError, match="Give the path of a YAML file"):
        memviz.load_memory_config(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["nowhere.yaml", "", "\0"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        ConfigError, match=r"cannot be read|there is no such file"
    ) as caught:
        memviz.load_memory_config(tmp_path / name)
    assert caught.value.path == str(tmp_path / name)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="utf-8"):
        load(tmp_path, "memory:\n  persistence: é.db\n", encoding="latin-1")


def test_the_strategy_is_there_only_if_the_file_has_it(tmp_path: Path) -> None:
    text = "memory:\n  counter: chars4\n  parameters:\n    window_size: 3\n  strategy: window\n  summarizer: offline\n"
    chosen = {
        "strategy": "window",
        "parameters": {"window_size": 3},
        "counter": "chars4",
        "summarizer": "offline",
    }
    assert load(tmp_path, text) == {"memory": DEFAULTS | chosen}
    assert load(tmp_path, "memory:\n  parameters:\n") == {
        "memory": DEFAULTS | {"parameters": {}}
    }


@pytest.mark.parametrize(
    ("text", "id", "parameters"),
    [
        ("", "chat_summary_buffer", {}),
        (
            "memory: {token_limit: 7, summarize_prompt: Be brief.}",
            "chat_summary_buffer",
            {"token_limit": 7, "summarize_prompt": "Be brief."},
        ),
        (
            "memory: {token_limit: 7, parameters: {count_initial_tokens: true}}",
            "chat_summary_buffer",
            {"token_limit": 7, "count_initial_tokens": True},
        ),
        (
            "memory: {token_limit: 7, parameters: {token_limit: 8}}",
            "chat_summary_buffer",
            {"token_limit": 8},
        ),
        (
            "memory: {strategy: chat_summary_buffer, token_limit: 7}",
            "chat_summary_buffer",
            {"token_limit": 7},
        ),
        ("memory: {token_limit: 7, strategy: buffer}", "buffer", {}),
        (
            "memory: {strategy: summary, parameters: {buffer_size: 9}}",
            "summary",
            {"buffer_size": 9},
        ),
    ],
)
def test_the_strategy_of_a_file(
    tmp_path: Path, text: str, id: str, parameters: dict[str, Any]
) -> None:
    assert strategy_of(load(tmp_path, text)) == memviz.strategy(id, **parameters)


def test_the_strategy_that_the_shipped_file_shows_is_a_valid_one(
    tmp_path: Path,
) -> None:
    *_, example = SHIPPED.read_text(encoding="utf-8").partition("  # strategy:")
    lines = ("  # strategy:" + example).splitlines()
    config = load(
        tmp_path, "memory:\n" + "\n".join(line.replace("# ", "", 1) for line in lines)
    )
    assert strategy_of(config) == memviz.strategy("summary_buffer", max_token_limit=500)
    assert {"strategy", "parameters", "counter", "summarizer"} <= set(config["memory"])


def test_a_key_is_never_repeated(tmp_path: Path) -> None:
    key = "sk-" + "a1" * 20
    with pytest.raises(ConfigError, match="API key") as caught:
        load(tmp_path, f"memory:\n  summarizer: {key}\n")
    assert key not in str(caught.value)


def test_a_file_that_is_not_there_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"no\.yaml: there is no such file\. Give the path"
    ):
        memviz.load_memory_config(tmp_path / "no.yaml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            f"memory:\n  token_limit: 1{'0' * 4_000}\n",
            "line 2: memory.token_limit: is a number that is far too large",
        ),
        (
            "memory:\n  token_limit: 1\n  token_limit: 2\n",
            "line 3: token_limit: is there twice, in line 2",
        ),
        (
            "memory:\n  parameters: {a: 1,\n    a: 2}\n",
            "line 3: a: is there twice, in line 2",
        ),
    ],
)
def test_says_in_words_what_is_wrong(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "memory.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=words):
        memviz.load_memory_config(path)
