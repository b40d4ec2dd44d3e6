"""Every text has its translation, what a user sees is marked, and two readers get each their own language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from docs.translate import marked_texts, problems, translations
from memviz.core.text.wording import counted, listed, request_range, share_of
from memviz.core.translation import (
    ENGLISH,
    _,
    ask_for_language,
    language_now,
    languages,
    ngettext,
    script_texts,
    use_language,
)
from tests.sources import ROOT, nodes_of
from tests.tables import for_each

OTHERS = [code for code in languages() if code != ENGLISH]

CONVERTED = (
    "memviz/core/text/wording.py",
    "memviz/core/page_titles.py",
    "memviz/engine/memory_config.py",
    "memviz/storage/checking.py",
    "memviz/storage/migrations.py",
    "memviz/tuning/best_of_each.py",
    "memviz/tuning/grounds.py",
    "memviz/tuning/paid.py",
    "memviz/tuning/recommendation.py",
    "memviz/tuning/scaling.py",
    "memviz/core/errors.py",
    "memviz/core/model_errors.py",
    "memviz/core/storage_errors.py",
    "memviz/models/connection_check.py",
    "memviz/models/prices.py",
    "memviz/models/credentials.py",
    "memviz/models/failure_evidence.py",
    "memviz/models/litellm_errors.py",
    "memviz/models/local_servers/asking.py",
    "memviz/models/registry.py",
    "memviz/models/budget.py",
    "memviz/models/streamed_reply.py",
    "memviz/models/reply_bodies.py",
    "memviz/transcripts/archives.py",
    "memviz/transcripts/background.py",
    "memviz/transcripts/document.py",
    "memviz/transcripts/file_kinds.py",
    "memviz/transcripts/json_text.py",
    "memviz/transcripts/loading.py",
    "memviz/transcripts/nearest.py",
    "memviz/transcripts/refusals.py",
    "memviz/transcripts/sqlite_tables.py",
    "memviz/transcripts/user_names.py",
    "memviz/dashboard/words",
    "memviz/dashboard/charts",
    "memviz/dashboard/ui/shell",
    "memviz/dashboard/ui/controls",
    "memviz/dashboard/ui/chat",
    "memviz/dashboard/ui/facts",
    "memviz/dashboard/ui/fleet",
    "memviz/dashboard/ui/guide",
    "memviz/dashboard/ui/compare",
    "memviz/dashboard/stage",
    "memviz/dashboard/lessons/answers_shown.py",
    "memviz/dashboard/lessons/claim_reading.py",
    "memviz/dashboard/lessons/field_readers.py",
    "memviz/dashboard/lessons/fields.py",
    "memviz/dashboard/lessons/html.py",
    "memviz/dashboard/lessons/library.py",
    "memviz/dashboard/lessons/markdown.py",
    "memviz/dashboard/lessons/playing.py",
    "memviz/dashboard/lessons/questions.py",
    "memviz/dashboard/lessons/reading.py",
    "memviz/dashboard/lessons/still.py",
    "memviz/dashboard/lessons/study.py",
    "memviz/dashboard/ui/lessons",
    "memviz/dashboard/ui/library",
    "memviz/dashboard/reporting",
    "memviz/dashboard/ui/tune",
    "memviz/tuning",
    "pages",
)
"""Rooms and files whose texts are marked. Whoever converts one enters it here."""
UNCONVERTED = (
    "memviz/dashboard/ui/shell/server/checks.py",
    "memviz/dashboard/ui/shell/server/same_origin.py",
    "memviz/dashboard/reporting/sweep_json.py",
    "memviz/dashboard/reporting/themes.py",
)
"""What the server answers before anybody's language is known, what stands in exported code, and names of fonts."""
NOT_SHOWN: dict[str, set[str]] = {
    "memviz/dashboard/ui/shell/server/proxy_door.py": {  # said to whoever comes past the proxy
        "This server answers the proxy in front of it, for somebody who signed in there.",
    },
    "memviz/dashboard/ui/shell/server/signing_in.py": {  # read by whoever starts the server, or asks past its pages
        "Sign in first.",
        "--login needs Authlib: pip install 'memviz[login]', and start memviz again.",
        "--login needs your provider in the section [auth] of .streamlit/secrets.toml, in the folder that memviz is "
        "started from: {}",
    },
    "memviz/dashboard/ui/shell/server/monitoring.py": {  # read by whoever runs the server
        "Figures for Prometheus cannot be served at {}:{}: {}.",
        "Time to draw a page, each time it is drawn anew",
        "Time of a replay of a conversation through a strategy",
        "Errors that a page showed or ended with",
        "Browser tabs that are connected",
        "Error: {}",
    },
    "memviz/dashboard/ui/fleet/page.py": {
        "memviz sweep logs/ --write swept -s window:window_size=10,20\nmemviz ui --fleet swept"
    },
    "memviz/core/errors.py": {
        "summarized by {}",
        "without a summarizer",
        "The store has a session {} already, under {} and {}: take it with store.memory({}), or "
        "choose another name for one under other settings.",
        "{} would be {} requests x {} messages = {} cells; at most {} are made at once. "
        "Ask for slices, such as {}.",
    },
    "memviz/models/connection_check.py": {
        "Count from 1 to 5, in digits.",
        "Call the tool ping.",
        "Does nothing.",
        "Authorization",
        "Bearer {}",
    },
    "memviz/models/failure_evidence.py": {
        "Cause",
        "Error code: ",
        "Traceback",
        " To drop ",
    },
    "memviz/models/litellm_errors.py": {"Timeout"},
    "memviz/models/local_servers/asking.py": {"Accept"},
    "memviz/dashboard/lessons/reading.py": {
        "summarizer chat-model replies take conversation setting turn call recall",
    },
    "memviz/models/reply_bodies.py": {"The reply is none of a model."},
    "memviz/storage/checking.py": {
        "PRAGMA integrity_check({})",
        "PRAGMA foreign_key_check",
        "free run",
        "run_id IN (SELECT id FROM run WHERE conversation_id = ?)",
        "SELECT * FROM {} WHERE {}",
    },
    "memviz/models/budget.py": {"an amount of US dollars above 0"},
    "memviz/tuning/candidates.py": {
        "shorten messages to 400 characters, keep 6 turns",
        "shorten tool results to 500 characters, keep 2 turns",
        "clear tool results at 0.2 of the window, keep 2 results",
        "clear tool results at 0.4 of the window, keep 4 results",
        ", keep the first user message",
        "keep {} of the window",
        "{} at {} of the window, {}{}",
    },
    "memviz/storage/migrations.py": {
        "SELECT count(*) FROM sqlite_master",
        "PRAGMA user_version = {}",
        "PRAGMA application_id = {}",
        "PRAGMA table_info({})",
        "PRAGMA {}",
        "SELECT id, text FROM lesson ORDER BY saved_at",
        "SELECT id, content FROM recording ORDER BY opened_at",
        "INTEGER NOT NULL DEFAULT 0",
        "DROP TABLE IF EXISTS {}",
        "ALTER TABLE conversation ADD COLUMN {} {}",
    },
    "memviz/transcripts/archives.py": {
        "png jpg jpeg gif webp bmp svg heic ico",
        "mp3 wav m4a ogg opus flac mp4 mov webm",
        "pdf dat css js py woff woff2 ttf html htm docx xlsx pptx",
    },
    "memviz/transcripts/background.py": {"memviz import"},
    "memviz/transcripts/document.py": {"index {}", "line {}"},
    "memviz/transcripts/file_kinds.py": {"!doctype html"},
    "memviz/transcripts/json_text.py": {
        "Extra data",
        "Unterminated string",
    },
    "memviz/transcripts/loading.py": {
        "--format {}",
        "conversation {}",
    },
    "memviz/transcripts/sqlite_tables.py": {
        "CREATE TABLE",
        "SELECT * FROM {} LIMIT 0",
        "{} LIMIT {}",
        " ORDER BY {}",
        "SELECT {} FROM {}",
        "SELECT name, sql FROM sqlite_master WHERE type = 'table'",
    },
    "memviz/dashboard/words/requests.py": {" not yet summarized"},
    "memviz/dashboard/charts/answer_grid.py": {"{}<br><b>{} of {}</b>"},
    "memviz/dashboard/charts/grammar.py": {"Cividis"},
    "memviz/dashboard/charts/needle_map.py": {"middle center"},
    "memviz/dashboard/charts/cost/setting_cost.py": {"US dollars"},
    "memviz/dashboard/charts/requests/tokens_per_turn.py": {"tokens {}"},
    "memviz/dashboard/charts/sweeps/axes.py": {
        "More varies than {}",
        "{}: {} are at the same place.",
    },
    "memviz/dashboard/charts/sweeps/heat_map.py": {"map {} {} {}", "middle center"},
    "memviz/dashboard/charts/sweeps/parameter_line.py": {
        "lines {}",
        "Recommended",
        "Chosen",
    },
    "memviz/dashboard/charts/sweeps/points.py": {"Recommended", "Chosen"},
    "memviz/dashboard/charts/turn_axis.py": {"{} domain"},
    "memviz/dashboard/ui/chat/pictures.py": {
        ":material/compress: {}",
        ":violet-badge[:material/compress: {}]",
    },
    "memviz/dashboard/ui/facts/probes.py": {"single fact", "updated fact"},
    "memviz/dashboard/ui/facts/version_card.py": {"Lost", "New", "Kept"},
    "memviz/dashboard/ui/shell/server/login.py": {
        "The door has to be opened first.",
    },
    "memviz/dashboard/ui/shell/state.py": {"looked up for its side effect"},
    "memviz/dashboard/ui/shell/terms.py": {"pause between turns"},
    "memviz/dashboard/stage/events.py": {"fact lost"},
    "memviz/dashboard/ui/compare/costs_table.py": {"prompt cache"},
    "memviz/dashboard/ui/controls/block_html.py": {"before system", "behind system"},
    "memviz/dashboard/ui/controls/links.py": {"{} keepAddress;", "{} copyLink;"},
    "memviz/dashboard/ui/controls/pickers.py": {"Models"},
    "memviz/dashboard/ui/controls/request_reasons.py": {"memviz-why memviz-recalled"},
    "memviz/dashboard/ui/controls/settings_editor.py": {":material/straighten: {}"},
    "memviz/dashboard/lessons/questions.py": {"not told"},
    "memviz/dashboard/ui/lessons/player.py": {"lesson stage"},
    "memviz/dashboard/ui/lessons/shelf.py": {":material/check_circle: {}"},
    "memviz/dashboard/ui/library/file_table.py": {"datetime64[us, UTC]"},
    "memviz/dashboard/ui/library/conversation_view.py": {":material/info: {}"},
    "memviz/dashboard/reporting/run_tables.py": {"pip install 'memviz[images]'"},
    "memviz/dashboard/reporting/themes.py": {"not installed"},
    "memviz/dashboard/reporting/report.py": {"data: blob:"},
    "memviz/dashboard/ui/tune/question.py": {"no limit", "All"},
    "memviz/dashboard/ui/tune/measured.py": {"export to code"},
    "memviz/tuning/executors.py": {"Job", "Result"},
    "memviz/tuning/background.py": {"memviz sweep"},
}
"""What looks like a text in a file and is none: a key, a pattern, something that a model reads."""

MARKS = {"_", "noop", "Said", "ngettext", "plural_noop", "pgettext"}
LOOKS_SHOWN = re.compile(r"[A-Za-z]{2,}[,:;]? [A-Za-z{]|[}] [a-z]{2,}|^[A-Z][a-z]{2,}$")
NO_TEXT = re.compile(
    r"^\s*(<(?!b>|i>)|[.\[])|currentColor|border-left-color|;$|export default|^\S+ \S+="
)
"""Markup, styles and scripts."""
UNSEEN_CALLS = {"compile", "counted", "share_of", "term", "of_session", "removesuffix"}
UNSEEN_ARGUMENTS = {"key", "icon", "class_", "role", "url_path", "style", "name"}


@pytest.mark.parametrize("code", OTHERS)
def test_every_text_is_translated_with_its_values(code: str) -> None:
    """``python -m docs.translate`` brings the catalogues up to date."""
    assert problems(code) == []


LENGTH_IN_WORDS = re.compile(r"[\d}] ?个?词(?!元)")
WORDS_THAT_ARE_COMPARED = {
    "{number} words",
    "{number} rare words",
    "<b>%{customdata[1]} words</b>, %{y:.0f} %",
    "{number:,} words found in nothing that its writer read",
}
LESSONS = ROOT / "memviz" / "dashboard" / "lessons" / "bundled"


def test_a_length_of_summaries_is_in_characters_in_chinese() -> None:
    """A summary has 120 字; 词 are what texts are compared by. A reader is 你."""
    said = {}
    for (_context, text), message in translations("zh").items():
        english = text if isinstance(text, str) else text[-1]
        if english not in WORDS_THAT_ARE_COMPARED:
            said[english] = str(message.string)
    for path in LESSONS.glob("*.yaml"):
        said[path.name] = path.read_text(encoding="utf-8")
    assert [name for name, text in said.items() if LENGTH_IN_WORDS.search(text)] == []
    assert [name for name, text in said.items() if "您" in text] == []


def converted_files() -> list[Path]:
    found = []
    for name in CONVERTED:
        path = ROOT / name
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [
        path
        for path in found
        if not any(path.is_relative_to(ROOT / name) for name in UNCONVERTED)
    ]


@for_each("path", converted_files())
def test_what_a_user_sees_is_marked(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    tree = nodes_of(path)[0]
    allowed = NOT_SHOWN.get(name, set())
    unmarked = [
        f"{name}:{line} {text!r}"
        for line, text in unmarked_texts(tree)
        if text not in allowed
    ]
    assert unmarked == []


def unmarked_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of a file that look as if a user read them and that no mark translates."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring
        if isinstance(node, ast.keyword) and node.arg in UNSEEN_ARGUMENTS:
            continue
        if isinstance(node, ast.Subscript):
            waiting.append(node.value)
            continue  # Literal["…"], a key of a dictionary
        if isinstance(node, ast.Call) and (
            is_mark(node) or called(node) in UNSEEN_CALLS
        ):
            waiting += [word.value for word in node.keywords]
            continue
        text = text_of(node)
        if text is None:
            waiting += ast.iter_child_nodes(node)
            continue
        if LOOKS_SHOWN.search(text) and not NO_TEXT.search(text):
            yield node.lineno, text
        waiting += [
            part.value
            for part in getattr(node, "values", ())
            if isinstance(part, ast.FormattedValue)
        ]


def called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def is_mark(node: ast.Call) -> bool:
    return called(node) in MARKS


def text_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) else "{}"
            for part in node.values
        )
    return None


@for_each(
    "source", ['st.info("No fact is known.")', 'st.button(f"Open {name} in Compare")']
)
def test_a_text_without_a_mark_is_found(source: str) -> None:
    assert len(list(unmarked_texts(ast.parse(source)))) == 1


def test_nothing_is_translated_before_anybody_reads_it() -> None:
    """At the top of a module a text would stay in the language of the first visitor: ``noop`` is for constants."""
    wrong = []
    for path in [*ROOT.glob("memviz/**/*.py")]:
        if "memviz.core.translation" in path.read_text(encoding="utf-8"):
            name = path.relative_to(ROOT)
            module = nodes_of(path)[0]
            wrong += [f"{name}:{line}" for line in translated_when_imported(module)]
    assert wrong == []


def translated_when_imported(tree: ast.AST) -> Iterator[int]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            defaults = ast.Tuple([*node.args.defaults, *node.decorator_list])
            yield from translated_when_imported(defaults)
        elif isinstance(node, ast.Call) and is_mark(node):
            if node.func.id not in ("noop", "plural_noop"):  # type: ignore[attr-defined]
                yield node.lineno
        elif not isinstance(node, ast.Lambda):
            yield from translated_when_imported(node)


def test_no_text_of_a_mark_is_put_together() -> None:
    """An f-string is filled before it could be translated: values are arguments of ``_``."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in [*ROOT.glob("memviz/**/*.py"), *ROOT.glob("pages/*.py")]
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and is_mark(node)
        if any(isinstance(text, ast.JoinedStr) for text in node.args)
    ]
    assert wrong == []


def test_texts_are_found_in_every_kind_of_file() -> None:
    texts = marked_texts()
    assert (None, "Search the glossary") in texts["guide"]
    assert (None, ("{number} turn", "{number} turns")) in texts["core"]
    assert script_texts('x = _("Play"); y = _("Say \\"no\\"", { a: 1 });') == [
        "Play",
        'Say "no"',
    ]


def test_counts_and_places_in_chinese() -> None:
    assert counted(1, "request") == "1 request"
    with use_language("zh"):
        assert counted(1, "request") == "1 个请求"
        assert counted(1200, "message") == "1,200 条消息"
        assert share_of(3, 12, "request") == "12 个请求中的 3 个"
        assert request_range((3, 1, 1), (9, 1, 1)) == "第 3 到 9 轮"
        assert listed(["a", "b", "c"]) == "a、b 和 c"
        assert listed(["摘要", "事实"]) == "摘要和事实"
    assert language_now() == ENGLISH


def test_two_threads_read_each_its_own_language() -> None:
    said: dict[str, str] = {}

    def read(code: str) -> None:
        with use_language(code):
            for _time in range(200):
                said[code] = ngettext("{number} turn", "{number} turns", 2)

    threads = [Thread(target=read, args=(code,)) for code in languages()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said["en"] == "2 turns"
    assert said["zh"] == "2 轮"


def test_a_block_in_a_language_comes_before_the_visitors_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from memviz.core import translation

    monkeypatch.setattr(translation, "_ask", None)
    ask_for_language(lambda: "zh")
    assert _("Compare") == "比较"
    with use_language(ENGLISH):
        assert _("Compare") == "Compare"


def test_a_language_that_is_not_there_is_english() -> None:
    with use_language("xx"):
        assert _("Compare") == "Compare"
        assert counted(2, "turn") == "2 turns"
