"""A lesson as one HTML file: nothing from outside, both languages, texts that stay texts."""

from __future__ import annotations

import json
import re
from html import unescape
from urllib.parse import parse_qsl

import memviz
from memviz.dashboard.lessons.html import write_html_lesson
from memviz.dashboard.reporting.themes import script_hash
from memviz.storage.workspace import Workspace
from tests.dashboard.lessons.writing_lessons import lesson

HOSTILE = "x&lt;b&gt; \"'> ]]> {{ 7*7 }} %{x}"


def test_it_runs_its_own_script_alone_and_loads_nothing(workspace: Workspace) -> None:
    html = write_html_lesson(memviz.lesson("first-look"), workspace)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert policy is not None
    assert len(scripts) == 1
    assert f"default-src 'none'; script-src '{script_hash(scripts[0])}'" in policy[1]
    assert re.findall(r"\b(?:src|href)=", html.replace(scripts[0], "")) == []
    assert "http" not in html.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_it_has_both_languages_the_stages_and_what_is_printed(
    workspace: Workspace,
) -> None:
    found = memviz.lesson("first-look")
    html = write_html_lesson(found, workspace, "zh")
    stages = json.loads(re.search(r'id="stages">(.*?)</script>', html, re.DOTALL)[1])  # type: ignore[index]
    assert '<body data-language="zh"' in html
    for step in found.steps:
        assert step.title.en in html
        assert step.title.zh in html
    assert [len(each) for each in stages] == [
        2 if step.asked else 1 for step in found.steps
    ]
    assert html.count('<svg class="still"') == len(found.steps)
    assert "摘要：录制。" in html


def test_texts_stay_texts(workspace: Workspace) -> None:
    question = {
        "text": HOSTILE,
        "choices": [HOSTILE, "b"],
        "answer": 0,
        "reason": HOSTILE,
    }
    step = {
        "title": HOSTILE,
        "text": HOSTILE,
        "question": question,
        "try": [{"text": HOSTILE}],
    }
    html = write_html_lesson(lesson(step, title=HOSTILE, summary=HOSTILE), workspace)
    assert html.count("x&amp;lt;b&amp;gt;") >= 8
    assert "x&lt;b" not in html.replace("x&amp;lt;b", "")
    assert "{{ 7*7 }}" in html


def test_what_there_is_to_try_has_an_address_on_every_memviz(
    workspace: Workspace,
) -> None:
    tried = {
        "text": "Fewer",
        "settings": [{"strategy": "window", "window_size": 4}],
        "turn": 9,
        "show": "dollars",
    }
    html = write_html_lesson(lesson({"try": [tried]}), workspace)
    (address,) = re.findall(r'<span class="address"><code>(.*?)</code>', html)
    path, _, query = unescape(address).partition("?")
    assert path == "/compare"
    assert dict(parse_qsl(query)) == {
        "conversation": "sample-trip",
        "setting": 'window {"window_size": 4}',
        "counter": "o200k_base",
        "turn": "9",
        "view": "dollars",
    }
    assert "memviz ui" in html


def test_a_step_about_another_page_says_where_to_follow_it(
    workspace: Workspace,
) -> None:
    html = write_html_lesson(lesson({"view": {"page": "tune"}}), workspace)
    assert "This step is about the page Tune of memviz" in html
    assert '<svg class="still"' not in html
