"""A sweep as a whole: what it measures, keeps, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

import numpy as np
import pytest

import memviz
from benchmarks.synthetic.generator import generate
from memviz import Message, Model, Reply, SweepError, Transcript
from memviz.core.counters import counter
from memviz.core.model_errors import BudgetSpentError
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.retention.retention import retention
from memviz.storage.store import Store
from memviz.transcripts.samples import sample
from memviz.tuning.grid import expand_grid
from memviz.tuning.sweep_conversation import SweepConversation
from memviz.tuning.sweeping import Sweeping
from tests.tables import for_each

GRID = {
    "buffer": {},
    "window": {"window_size": [4, 20]},
    "summary": {"buffer_size": [2, 8]},
}


class Told(Model):
    """Counts its calls; may run out of money or fail."""

    name = "told"

    def __init__(self, calls_allowed: int | None = None, fails: bool = False) -> None:
        self.calls, self.calls_allowed, self.fails = 0, calls_allowed, fails

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        if self.calls == self.calls_allowed:
            raise BudgetSpentError(1.0, 0.9, 0.2, "told")
        self.calls += 1
        if self.fails:
            raise memviz.ModelError("down")
        yield Reply(f"Summary number {self.calls}.")


def sweeping(
    kept: Store | None = None, summarizer: Model | None = None, **options: object
) -> Sweeping:
    subject = SweepConversation.of(sample("trip"), counter("o200k_base"))
    return Sweeping(
        (subject,),
        expand_grid(GRID),
        summarizer=summarizer or Told(),
        kept=kept,
        **options,
    )  # type: ignore[arg-type]


def test_every_number_is_that_of_a_replay() -> None:
    transcript = sample("trip")
    found = memviz.sweep(transcript, GRID, model="anthropic/claude-sonnet-4-5")
    for row, setting in zip(
        found.frame().to_dict("records"), found.settings, strict=True
    ):
        run = memviz.replay(transcript, setting)
        use = count_token_use(run)
        assert row["label"] == setting.code_label
        assert row["sent_tokens"] == use.sent_tokens
        assert row["peak_tokens"] == use.peak_tokens
        assert row["summarizer_tokens"] == use.summarizer_tokens
        assert row["summarizations"] == use.summarizations
        assert row["over_budget_requests"] == use.over_budget_requests
        kept = retention(run, transcript.probes)
        assert row["retention"] == pytest.approx(np.nanmean(kept.share(kept.retained)))
        assert row["final_retention"] == pytest.approx(kept.share(kept.retained)[-1])
        assert 0 < row["usd"] <= row["uncached_usd"] * 1.25


def test_many_conversations_give_a_row_each() -> None:
    some = [generate(8, seed=seed) for seed in range(3)]
    found = memviz.sweep(some, {"window": {"window_size": [4, 8]}})
    assert found.is_complete
    assert len(found.frame()) == 6
    assert set(found.by_setting()["conversations"]) == {3}


def test_plain_messages_are_one_conversation_and_facts_are_proposed() -> None:
    transcript = generate(60, seed=3)
    as_dicts = [
        {"role": message.role, "content": message.content}
        for message in transcript.messages
    ]
    found = memviz.sweep(as_dicts, {"buffer": {}})
    assert found.frame()["retention"].tolist() == [1.0]


def test_facts_that_a_user_typed_in_join_those_that_are_proposed() -> None:
    transcript = generate(60, seed=3)
    typed = memviz.Probe("What?", ("everything",), (0,), "name", by_user=True)
    bare = Transcript(transcript.messages)
    alone, joined = (
        SweepConversation.of(one, counter("o200k_base"))
        for one in (bare, Transcript(transcript.messages, probes=(typed,)))
    )
    assert joined.probes == (*alone.probes, typed)
    assert joined.proposed


def test_tokens_only_looks_for_no_facts() -> None:
    found = memviz.sweep(sample("trip"), {"buffer": {}}, retention=False)
    assert found.frame()["facts"].tolist() == [0]
    assert found.frame()["retention"].isna().all()


def test_nothing_to_sweep_over_is_a_sentence() -> None:
    with pytest.raises(SweepError, match="no conversation"):
        memviz.sweep([], GRID)


def test_a_setting_that_cannot_be_run_says_so_and_spoils_no_other() -> None:
    transcript = Transcript(sample("trip").messages, system_prompt="word " * 500)
    grid = {
        "chat_summary_buffer": {
            "token_limit": [300, 5000],
            "count_initial_tokens": [True],
        }
    }
    found = memviz.sweep(transcript, grid)
    errors = found.frame()["error"].tolist()
    assert "system prompt" in errors[0]
    assert errors[1] == ""
    assert found.by_setting()["setting"].tolist()[-1] == 1


class TestKept:
    def test_a_second_sweep_measures_nothing_anew(self, tmp_path: Path) -> None:
        store, first = Store(tmp_path / "a.db"), Told()
        one = sweeping(store, first)
        list(one)
        second = Told()
        again = sweeping(store, second)
        list(again)
        assert first.calls > 0
        assert (again.measured, second.calls) == (0, 0)
        assert again.sweep.frame().equals(one.sweep.frame())

    def test_only_new_settings_are_measured(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "a.db")
        list(sweeping(store))
        more = sweeping(store)
        more.settings = (*more.settings, *expand_grid({"window": {"window_size": 30}}))
        list(more)
        assert more.measured == 1

    def test_another_message_probe_counter_or_summarizer_is_measured_anew(
        self, tmp_path: Path
    ) -> None:
        store = Store(tmp_path / "a.db")
        list(sweeping(store))
        other = Told()
        other.name = "other"
        renamed = sweeping(store, other)
        list(renamed)
        assert renamed.measured == 2, "only strategies that summarize"
        counted = sweeping(store, counter="cl100k_base")
        list(counted)
        assert counted.measured == 5

    def test_a_cell_with_a_failed_call_is_not_kept(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "a.db")
        list(sweeping(store, Told(fails=True)))
        again = sweeping(store)
        list(again)
        assert again.measured == 2
        assert again.sweep.frame()["failed_summarizations"].sum() == 0


class TestEnding:
    def test_stop_ends_it_with_what_is_finished(self) -> None:
        stop = Event()
        work = sweeping(stop=stop, executor="inline")
        for number, _ in enumerate(work):
            if number == 1:
                stop.set()
        assert len(work.cells) == 2
        assert not work.sweep.is_complete
        assert len(work.sweep.by_setting()) == 2

    @for_each("executor", ["inline", "threads"])
    def test_a_spent_budget_ends_it_with_a_sentence(self, executor: str) -> None:
        work = sweeping(summarizer=Told(calls_allowed=3), executor=executor, workers=1)
        list(work)
        assert "budget" in work.stopped.lower()
        assert 0 < len(work.cells) < work.total
        assert work.sweep.stopped == work.stopped

    def test_progress_tells_how_much_time_is_left(self) -> None:
        told: list = []
        memviz.sweep(sample("trip"), GRID, progress=told.append)
        assert [one.done for one in told] == [1, 2, 3, 4, 5]
        assert told[-1].seconds_left == 0
        assert all(one.seconds_left > 0 for one in told[:-1])
