"""An output is plain text and one frame, in which nothing is loaded and what others wrote stays text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

import memviz
from memviz import Message, ModelError, ScriptedModel
from memviz.dashboard.reporting.themes import script_hash
from memviz.transcripts.base import Probe, Transcript
from memviz.transcripts.samples import sample
from tests.tables import for_each

TRIP = sample("trip")
HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>'><svg onload=alert(3)>"
    ' "&#39;></iframe> &lt;b&gt; {{ 7 * 7 }} \u2028'
)
MOST_BYTES = {"run": 260_000, "sweep": 60_000, "retention": 80_000}


class Tags(HTMLParser):
    """The tags of a document with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts[-1] += data
        else:
            self.text += data

    def named(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == name]


def frame_of(html: str) -> Tags:
    (frame,) = Tags(html).named("iframe")
    return Tags(frame["srcdoc"] or "")


@pytest.fixture(scope="module")
def outputs() -> dict[str, str]:
    run = memviz.replay(TRIP, memviz.strategy("summary_buffer", max_token_limit=1500))
    sweep = memviz.sweep(TRIP, {"window": {"window_size": [4, 40]}, "buffer": {}})
    values = {
        "run": run,
        "sweep": sweep,
        "retention": memviz.retention(run, TRIP.probes),
    }
    return {name: value._repr_html_() or "" for name, value in values.items()}  # type: ignore[attr-defined]


def test_an_output_is_a_plain_string(outputs: dict[str, str]) -> None:
    """Nothing is left of a ``Markup`` in what marimo exports."""
    assert {type(html) for html in outputs.values()} == {str}


def test_text_outside_of_the_frame_says_the_numbers(outputs: dict[str, str]) -> None:
    outer = Tags(outputs["run"])
    assert {tag for tag, _attributes in outer.tags} == {
        "div",
        "p",
        "strong",
        "br",
        "iframe",
    }
    assert "46 requests · " in outer.text
    assert "Take" in Tags(outputs["sweep"]).text


@for_each("name", ["run", "sweep", "retention"])
def test_a_frame_loads_nothing_and_runs_its_own_scripts_alone(
    outputs: dict[str, str], name: str
) -> None:
    frame = frame_of(outputs[name])
    policy = frame.named("meta")[1]["content"] or ""
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    own = [source for source in frame.scripts if not source.startswith(("{", "["))]
    assert re.findall(r"'(sha256-[^']*)'", policy) == [
        script_hash(source) for source in own
    ]
    assert not any(
        "src" in attributes or "href" in attributes for _tag, attributes in frame.tags
    )
    assert len(frame.named("svg")) >= 1


@for_each("name", MOST_BYTES)
def test_an_output_is_small(outputs: dict[str, str], name: str) -> None:
    assert len(outputs[name].encode()) < MOST_BYTES[name]


def test_what_others_wrote_stays_text() -> None:
    messages = [Message("user", HOSTILE), Message("assistant", HOSTILE)] * 8
    probe = Probe(HOSTILE, (HOSTILE,), (0,), "name")
    told = Transcript(tuple(messages), title=HOSTILE, probes=(probe,))
    model = ScriptedModel([HOSTILE, ModelError(HOSTILE), *[HOSTILE] * 20])
    run = memviz.replay(told, memviz.strategy("summary", buffer_size=2), model=model)
    for value in (run, memviz.retention(run, told.probes)):
        html = value._repr_html_() or ""
        assert len(Tags(html).named("iframe")) == 1
        frame = frame_of(html)
        tags = {tag for tag, _attributes in frame.tags}
        assert not tags & {"img", "iframe", "a"}
        handlers = [
            key
            for _tag, attributes in frame.tags
            for key in attributes
            if key.startswith("on")
        ]
        assert handlers == []
        assert "<script>alert" not in html
    (played,) = [
        source
        for source in frame_of(run._repr_html_() or "").scripts
        if source.startswith("{")
    ]
    texts = [text for _role, _tokens, text, _turn in json.loads(played)["messages"]]
    assert texts[0].startswith("</script><script>alert(1)")
