"""No text of a file is lost without a word: it is in the messages or beside them, or a warning says what is not.

Only what :data:`NOT_SAID` names may be missing: nobody said it in the conversation.
"""

import os
import re
from pathlib import Path

import pytest

from memviz.transcripts import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import format_of, sample_files
from tests.transcripts.texts_of_files import kept_in, pieces, plain, texts_in

SAMPLES = sample_files()
FOLDERS = [
    Path(os.environ.get("MEMVIZ_TEST_DATA", "")) / folder
    for folder in ("formats", "real")
]
NOT_SAID = {
    # format: (keys that lead to the text, how the text starts, why it is no part of the conversation)
    "chatgpt_export": [
        (
            r"message\.content\.content$",
            "Thought for",
            "how long the model thought, for the screen",
        )
    ],
    "claude_ai_export": [
        (
            r"chat_messages\.#\.text$",
            r"\s*```\nThis block",
            "repeats the content for old programs",
        )
    ],
    "claude_code": [
        (r"summary$", "", "a title that was written for another session"),
        (
            r"message\.content",
            "<(local-command|system-reminder|command)",
            "what the program says in the user's name",
        ),
        (
            r"^#\.content$",
            "Conversation compacted",
            "a notice; the compaction is an event",
        ),
    ],
    "codex": [
        (
            r"payload\.content\.#\.text$",
            "<(turn_aborted|user_shell_command)",
            "what the program reports in the user's name",
        )
    ],
    "gemini_cli": [
        (
            r"(text|content)$",
            "(This is the Gemini CLI|Got it. Thanks)",
            "what program and model say to begin with",
        ),
        (r"messages\.#\.content$", "Request cancelled", "a notice of the program"),
    ],
    "aider": [
        ("line", "\\W*(aider chat started|Added|Tokens)", "notices of the program")
    ],
    "copilot_chat": [("responderUsername$", "", "the name of the program")],
    "sillytavern": [("send_date$", "", "a time in words, which is not read")],
    "discord": [(r"content$", "Pinned a message", "a notice of the program")],
    "messenger": [
        (r"(content|name|title)$", "", "UTF-8 read as Latin-1; it is read as meant")
    ],
    "slack": [(r"text$", "<@U1> has joined", "a notice of the program")],
    "telegram": [("about$", "", "a notice of the program")],
    "hh_rlhf": [
        ("(chosen|prompt|transcript)$", r"\s*Human:", "is split at its speakers")
    ],
    "letta": [
        (r"^(agents\.#\.)?tools\.", "", "the definitions of tools"),
        (
            r"\.text\.(time|last_login|reason)$",
            "",
            "events that the program reports to the model",
        ),
        (
            r"\.text\.message$",
            "Note: prior messages",
            "an alert; the compaction is an event",
        ),
    ],
    "locomo": [
        ("date_time$", "", "a time; it is read as one"),
        (r"\.observation\.", "", "facts that the benchmark drew from the sessions"),
    ],
    "markdown": [
        (
            "line",
            r"\W*(Assistant \(|ChatGPT said|System prompt|calls )",
            "names the speaker and its calls",
        )
    ],
    "swe_agent": [("info.submission", "", "the patch, which is not said")],
    "open_webui": [(r"content$", "<details", "markup; what is in it is read")],
    "tau_bench": [
        (
            r"info\.(task\.actions|reward_info)",
            "",
            "what the benchmark expects an agent to do",
        )
    ],
    "whatsapp": [
        ("line", r"\W*Media omitted", "a stand-in of the app, which is [media] here")
    ],
}
LEFT_OUT = re.compile(
    "left out|were left|only the first|the first was taken|imported|was passed over"
)
"""What warnings say that name something that is missing."""
WARNED = {
    # format: keys that lead to texts of which a warning says that they, or the messages that have them, are missing
    "chat_response": r"choices\.#\.message",
    "chatgpt_export": r"\.mapping\.",
    "claude_code": r"message\.content",
    "copilot_cli": r"data\.content",
    "deepseek_export": r"\.mapping\.",
    "gemini_cli": r"content",
    "hh_rlhf": "rejected",
    "letta": r"messages\.#\.content",
    "librechat": r"messagesTree\.",
    "locomo": r"qa\.#\.question",
    "longmemeval": "(answer|question)$",
    "memorycraft": r"qa\.#\.(answer|question)$",
    "oasst": "replies",
    "preference": "(rejected|non_preferred_output)",
    "sharegpt": "value$",
    "swe_agent": "trajectory",
    "text": "line",
    "whatsapp": "line",
}


def _real_files():
    if not os.environ.get("MEMVIZ_TEST_DATA") or not all(
        folder.is_dir() for folder in FOLDERS
    ):
        reason = (
            "set MEMVIZ_TEST_DATA to the folder with formats/ and real/ to run these"
        )
        return [pytest.param(Path(), id="files", marks=pytest.mark.skip(reason=reason))]
    return [
        pytest.param(path, id=path.name)
        for folder in FOLDERS
        for path in sorted(folder.iterdir())
    ]


def lost_texts(data, name, format):
    loaded = load_file(data, name=name)
    kept = kept_in(loaded)
    warnings = " ".join(
        warning for transcript in loaded.transcripts for warning in transcript.warnings
    )
    warned = (
        WARNED.get(format) if LEFT_OUT.search(warnings) or loaded.failures else None
    )
    for place, text in texts_in(data, name):
        is_known = any(
            re.search(at, place) and re.match(start, text)
            for at, start, _ in NOT_SAID.get(format, ())
        )
        if (
            not is_known
            and not (warned and re.search(warned, place))
            and plain(text) not in kept
        ):
            yield from ((place, piece) for piece in pieces(text) if piece not in kept)


@for_each("name", SAMPLES)
def test_no_text_of_a_sample_is_lost(name):
    assert list(lost_texts(SAMPLES[name], name, format_of(name))) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", _real_files())
def test_no_text_of_a_real_file_is_lost(path):
    data = path.read_bytes()
    if data.startswith(b"PK"):
        pytest.skip("its files are here without the archive as well")
    (format,) = {
        transcript.format for transcript in load_file(data, name=path.name).transcripts
    }
    assert list(lost_texts(data, path.name, format)) == []
