"""All formats together: each file is of exactly one, whatever others there are."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts.document import Document
from memviz.transcripts.loading import UNFORESEEN, formats, load_file, prefer_readers
from tests.tables import for_each
from tests.transcripts.sample_files import format_of, sample_files

SAMPLES = sample_files()
DATA = Path(os.environ.get("MEMVIZ_TEST_DATA", ""))
COUNTS = {
    "formats": {
        "anthropic_messages.json": ("anthropic_messages", [8]),
        "anthropic_request.json": ("anthropic_messages", [8]),
        "anthropic_response.json": ("anthropic_messages", [1]),
        "chatgpt_export.zip": ("chatgpt_export", [6]),
        "chatgpt_export_conversations.json": ("chatgpt_export", [6]),
        "claude_ai_export_conversations.json": ("claude_ai_export", [6]),
        "claude_code_session.jsonl": ("claude_code", [6]),
        "claude_code_simonw_sample.jsonl": ("claude_code", [7]),
        "claude_code_web_loglines.json": ("claude_code", [32]),
        "gemini_api_request.json": ("gemini_api", [2]),
        "gemini_cli_checkpoint.json": ("gemini_cli", [4]),
        "gemini_cli_session.json": ("gemini_cli", [4]),
        "langchain_classic_buffer_memory_json.json": ("langchain", [2]),
        "langchain_convert_to_openai_messages.json": ("openai_messages", [7]),
        "langchain_dumpd.json": ("langchain", [7]),
        "langchain_messages_to_dict.json": ("langchain", [7]),
        "letta_v1_memgpt_with_convo.af": ("letta", [56]),
        "llamaindex_chatmemorybuffer_to_string.json": ("llamaindex", [7]),
        "llamaindex_memory.db": ("llamaindex", [2]),
        "llamaindex_simplechatstore_json.json": ("llamaindex", [7, 1]),
        "llamaindex_simplechatstore_persist.json": ("llamaindex", [7, 1]),
        "llm_logs_0.27.db": ("llm_logs", [8]),
        "locomo10_style.json": ("locomo", [4]),
        "locomo_v2_zip_style.json": ("locomo", [4]),
        "longmemeval_style.json": ("longmemeval", [4]),
        "oasst_trees.jsonl": ("oasst", [2, 4, 4]),
        "open_webui_export.json": ("open_webui", [2]),
        "openai_agents_advanced_sqlitesession.db": ("openai_agents", [7]),
        "openai_agents_sqlitesession.db": ("openai_agents", [7, 1]),
        "openai_batch_output.jsonl": ("openai_batch", [1]),
        "openai_chat_completion_response.json": ("chat_response", [1]),
        "openai_chat_messages.json": ("openai_messages", [14]),
        "openai_chat_request.json": ("chat_request", [4]),
        "openai_finetune.jsonl": ("finetuning", [5, 7, 2]),
        "openai_finetune_dpo.jsonl": ("preference", [2]),
        "openai_responses_items.json": ("openai_responses", [7]),
        "openai_responses_response.json": ("openai_responses", [1]),
        "plain_headings.md": ("markdown", [3]),
        "plain_human_assistant_hh.jsonl": ("hh_rlhf", [4]),
        "plain_user_assistant.md": ("markdown", [4]),
        "plain_user_assistant.txt": ("text", [4]),
        "plain_whatsapp.txt": ("whatsapp", [3]),
        "sharegpt.json": ("sharegpt", [2, 5, 3]),
        "sharegpt.jsonl": ("sharegpt", [2, 2]),
        "table.csv": ("csv", [2, 1]),
        "table_pairs.csv": ("csv", [4]),
        "table_semicolon_cp1252.csv": ("csv", [2]),
        "tau_bench_results_sample.json": ("tau_bench", [32, 12]),
        "vercel_ai_ui_messages.json": ("vercel_ui", [4]),
    },
    "real": {
        "letta_customer_service.af": ("letta", [1]),
        "letta_memgpt_agent_with_convo.af": ("letta", [56]),
        "memorybank_cn_2_users.json": ("memorybank", [98, 104]),
        "memorybank_en_2_users.json": ("memorybank", [98, 104]),
        "oasst_3_trees.jsonl": ("oasst", [2, 4, 4]),
        "swe_agent_1.traj": ("swe_agent", [31]),
        "swe_agent_2.traj": ("swe_agent", [11]),
    },
}
"""Each compared with its raw file by eye. Empty conversations in an export are none."""
AIRLINE = (610, 20)


@for_each("name", SAMPLES)
def test_a_sample_is_of_exactly_one_format(name: str) -> None:
    document = Document(SAMPLES[name], name)
    hits = [format for format in formats().values() if format.recognise(document)]
    own = [format.name for format in hits if not format.is_mapping]
    # A mapping that says so is before formats that read less of such a file.
    over = formats()[format_of(name)].over
    assert [known for known in own if known not in over] in ([], [format_of(name)])
    assert [format.name for format in prefer_readers(hits)] == [format_of(name)]
    for transcript in load_file(SAMPLES[name], name=name).transcripts:
        assert transcript.messages
        assert transcript.format == format_of(name)


def test_every_format_has_a_sample_and_tells_its_name() -> None:
    assert {format_of(name) for name in SAMPLES} == set(formats())
    titles = [format.title for format in formats().values()]
    assert len(set(titles)) == len(titles)
    assert all(title.strip() for title in titles)


@for_each("name", formats())
def test_a_format_named_for_a_file_of_another_says_so(name: str) -> None:
    for data in (
        b'{"turns": [1, 2]}',
        b"[1, 2]",
        b"nothing but words",
        b"",
        SAMPLES["role_content__list.json"],
    ):
        with suppress(TranscriptError):
            load_file(data, name)
            continue
        with pytest.raises(TranscriptError) as caught:
            load_file(data, name)
        assert caught.value.remedy
        assert caught.value.template != UNFORESEEN


def _outside() -> list[object]:
    if not os.environ.get("MEMVIZ_TEST_DATA") or not (DATA / "formats").is_dir():
        reason = (
            "set MEMVIZ_TEST_DATA to the folder with formats/ and real/ to run these"
        )
        return [
            pytest.param(
                "", "", "", [], id="files", marks=pytest.mark.skip(reason=reason)
            )
        ]
    return [
        pytest.param(folder, name, *expected, id=name)
        for folder, files in COUNTS.items()
        for name, expected in files.items()
    ]


@pytest.mark.parametrize(("folder", "name", "format", "counts"), _outside())
def test_files_from_outside(
    folder: str, name: str, format: str, counts: list[int]
) -> None:
    loaded = load_file(DATA / folder / name)
    assert {transcript.format for transcript in loaded.transcripts} == {format}
    assert [len(transcript.messages) for transcript in loaded.transcripts] == counts


@pytest.mark.skipif(
    not (DATA / "real" / "tau_bench_airline_20.json").is_file(),
    reason="needs MEMVIZ_TEST_DATA",
)
def test_the_airline_chats() -> None:
    loaded = load_file(DATA / "real" / "tau_bench_airline_20.json")
    assert (
        sum(len(t.messages) for t in loaded.transcripts),
        len(loaded.transcripts),
    ) == AIRLINE
    assert not any(transcript.warnings for transcript in loaded.transcripts)
