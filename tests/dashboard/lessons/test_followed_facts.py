"""What requests say of facts that are followed."""

from __future__ import annotations

import memviz
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.lessons.followed_facts import follow_facts, split_at_facts
from memviz.dashboard.stage.data import stage_data
from memviz.transcripts.base import Probe
from memviz.transcripts.samples import sample
from tests.tables import for_each

KEY = Probe("Who has the key?", ("Ottoline",), (0,), "name")
TEXT = "It is 3.5 km. Our neighbour Ottoline keeps the key; the dog is Pickle.\n- ottoline, number 16"


@for_each(
    "text",
    [
        TEXT,
        "",
        "\n\n",
        "no end",
        "钥匙在邻居 Ottoline 手里。狗叫 Pickle。",
        "a.b;c",
        "...",
    ],
)
def test_a_text_is_whole_in_its_parts(text: str) -> None:
    assert "".join(split_at_facts(text, (KEY,), 1_000)) == text


def test_every_second_part_is_a_sentence_that_holds_the_fact() -> None:
    assert split_at_facts(TEXT, (KEY,), 1_000) == [
        "It is 3.5 km. ",
        "Our neighbour Ottoline keeps the key; ",
        "the dog is Pickle.\n",
        "- ottoline, number 16",
    ]
    assert split_at_facts(TEXT, (), 1_000) == [TEXT]
    assert split_at_facts("Ottoline.", (KEY,), 1_000) == ["", "Ottoline."]


def test_of_a_long_text_the_part_around_the_fact_is_kept() -> None:
    text = "Nothing of it. " * 200 + "Ottoline has the key. " + "Nothing of it. " * 200
    parts = split_at_facts(text, (KEY,), 90)
    assert parts[1] == "Ottoline has the key. "
    assert (parts[0][0], parts[2][-1]) == ("…", "…")
    assert len("".join(parts)) == 92


def test_a_long_text_is_opened_at_its_beginning_where_that_shows_the_fact() -> None:
    text = f"Said first. {'More. ' * 20}{TEXT} {'Much more was said. ' * 20}"
    parts = split_at_facts(text, (KEY,), 300)
    assert parts[0].startswith("Said first.")
    assert parts[-1].endswith("…")


def test_summaries_and_messages_of_a_stage_are_told() -> None:
    transcript = sample("trip")
    run = memviz.replay(transcript, memviz.strategy("summary", buffer_size=8))
    data = stage_data([SettingRun(run, run.label, 0)], transcript)
    probe = transcript.probes[0]
    followed = follow_facts(data, [run], (probe,))
    summaries = followed["settings"][0]["summaries"]
    assert list(summaries) == list(range(1, len(summaries) + 1))
    assert summaries[1][0] in run.space.summaries.versions[0].text
    position = max(probe.evidence)
    assert (
        probe.answers[0].casefold() in followed["messages"][position][2][1].casefold()
    )
    assert followed["messages"][0][2] == data["messages"][0][2]


def test_a_list_of_facts_is_read_without_its_tags() -> None:
    transcript = sample("trip")
    setting = memviz.strategy("fifo_facts", token_limit=3_000)
    run = memviz.replay(transcript, setting)
    data = stage_data([SettingRun(run, run.label, 0)], transcript)
    summaries = follow_facts(data, [run], ())["settings"][0]["summaries"]
    assert "<fact>" in run.summaries[0].text
    assert summaries[1][0].startswith("- ")
    assert not [parts for parts in summaries.values() if "<fact>" in "".join(parts)]
