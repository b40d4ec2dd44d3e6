"""Controls of settings: values to choose from, limits that are scaled, strategies that cannot be run here."""

from __future__ import annotations

from typing import ClassVar, Literal

import pytest
from streamlit.testing.v1 import AppTest

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.controls.strategy_choice import (
    offered_strategies,
    refused_words,
)
from memviz.strategies import strategies
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import choice, free_text, whole_number
from memviz.strategies.threshold_summary import ThresholdSummary

REASON = "The package nowhere is not installed: pip install nowhere."


class Limited(Strategy):
    """Has a limit of a whole window, a choice and a text."""

    title: ClassVar[str] = "Limited"
    main_parameter: ClassVar[str] = "trigger_tokens"
    trigger_tokens: int = whole_number(100_000, "tokens", "Help.", (500, 100_000))
    rule: Literal["stop", "gate"] = choice(
        "stop",
        {"stop": "stops once enough is gone", "gate": "waits until *enough* would go"},
        "How it clears.",
    )
    note: str | None = free_text("A text.")

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        return (Messages(0, memory.length),)


class Refused(Limited):
    """Cannot be run."""

    title: ClassVar[str] = "Refused"

    def reason_not_to_run(self) -> str:
        return REASON


Limited.id, Refused.id = "limited", "refused"


def known() -> dict[str, type[Strategy]]:
    return {**strategies(), "limited": Limited, "refused": Refused}


@pytest.fixture
def more_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "memviz.dashboard.ui.controls.strategy_choice.strategies", known
    )
    monkeypatch.setattr("memviz.dashboard.ui.controls.setting.strategies", known)
    monkeypatch.setattr("memviz.tuning.grid.strategies", known)
    monkeypatch.setattr(
        "memviz.dashboard.ui.controls.setting.strategy",
        lambda id, **values: known()[id](**values),
    )


def editor() -> None:
    import streamlit as st

    from memviz.dashboard.ui.controls.setting import Setting
    from memviz.dashboard.ui.controls.settings_editor import edit_parameters, take_over
    from memviz.dashboard.ui.controls.strategy_choice import choose_strategy

    setting = st.session_state.setdefault("setting", Setting(7, 0, "limited"))
    take_over(setting)
    choose_strategy(setting)
    edit_parameters(
        setting, needed_tokens=lambda: st.session_state.get("needed", 14_000)
    )


@pytest.mark.usefixtures("more_strategies")
class TestEditor:
    def test_a_value_is_chosen_out_of_those_allowed_and_each_says_what_it_does(
        self,
    ) -> None:
        page = AppTest.from_function(editor).run()
        _, rule = page.selectbox
        assert (rule.label, rule.options, rule.value) == (
            "Rule",
            ["stop", "gate"],
            "stop",
        )
        assert "**gate**: waits until \\*enough\\* would go" in rule.help
        rule.select("gate").run()
        assert page.session_state["setting"].build().rule == "gate"
        page.text_area[0].set_value(" Be kind. ").run()
        assert page.session_state["setting"].build().note == "Be kind."

    def test_limits_are_scaled_and_back_again(self) -> None:
        page = AppTest.from_function(editor).run()
        page.button[0].click().run()
        assert (
            page.number_input[0].value
            == page.session_state["setting"].parameters["trigger_tokens"]
            == 7_000
        )
        assert any(
            "Scaled from a window of 200,000 tokens" in one.value.replace("\\", "")
            for one in page.caption
        )
        page.number_input[0].set_value(8_000).run()
        assert not any("Scaled" in one.value for one in page.caption), (
            "it is the visitor's own number now"
        )
        page.button[0].click().run()
        page.button[0].click().run()
        assert page.number_input[0].value == 100_000
        assert not page.exception

    def test_a_long_conversation_needs_no_scaling_and_that_is_said(self) -> None:
        page = AppTest.from_function(editor)
        page.session_state["needed"] = 300_000
        page.run().button[0].click().run()
        assert page.number_input[0].value == 100_000
        assert any("needs no scaling" in one.value for one in page.caption)

    def test_what_cannot_be_run_is_named_with_the_reason_and_not_offered(self) -> None:
        page = AppTest.from_function(editor).run()
        assert "Refused" not in page.selectbox[0].options
        help = page.selectbox[0].help.replace("\\", "")
        assert f"Not offered: Refused. {REASON}" in help
        assert refused_words()[0] == f"Not offered: Refused. {REASON}"
        assert "refused" not in offered_strategies()
        assert "refused" in offered_strategies("refused"), "a link may ask for it"


class TestTaking:
    def test_a_value_that_is_not_allowed_is_refused_and_the_one_before_stays(
        self,
    ) -> None:
        setting = Setting(1, 0, "threshold_summary", {"other_triggers": "3 messages"})
        setting.take({"other_triggers": "soon", "keep_messages": 5})
        assert setting.build().model_dump(
            include={"other_triggers", "keep_messages"}
        ) == {
            "other_triggers": "3 messages",
            "keep_messages": 5,
        }
        assert '"4000 tokens"' in str(setting.refused["other_triggers"])
        setting.take({"other_triggers": "9 messages"})
        assert (setting.parameters["other_triggers"], setting.refused) == (
            "9 messages",
            {},
        )

    def test_what_a_link_asked_for_wrongly_does_not_hold_up_other_values(self) -> None:
        setting = Setting(1, 0, "threshold_summary", {"other_triggers": "soon"})
        setting.take({"keep_messages": 5})
        assert (setting.parameters["keep_messages"], setting.refused) == (5, {})


def row() -> None:
    import streamlit as st

    from memviz.dashboard.ui.controls.setting import Setting
    from memviz.dashboard.ui.controls.setting_rows import setting_rows
    from memviz.dashboard.ui.controls.study import CompareState

    st.session_state.setdefault(
        "compare", CompareState(settings=[Setting(7, 0, "threshold_summary")])
    )
    setting_rows()


def test_every_parameter_stands_in_a_settings_panel_and_what_is_wrong_below_its_field() -> (
    None
):
    page = AppTest.from_function(row).run()
    setting = page.session_state["compare"].settings[0]
    panel = {
        control.label.partition(" (")[0]
        for control in (*page.number_input, *page.text_area, *page.selectbox)
    }
    assert {parameter.title for parameter in ThresholdSummary.parameters()} <= panel
    page.number_input[0].set_value(0).run()
    assert setting.parameters["trigger_tokens"] == 0
    assert ":gray[tokens: off]" in page.get("popover")[0].proto.popover.label
    assert "trigger tokens off" in setting.build().label
    page.text_area[0].set_value("soon").run()
    assert setting.parameters["other_triggers"] is None
    fields = [
        element
        for element in page.main
        if element.type in ("text_area", "number_input", "error")
    ]
    at = next(at for at, element in enumerate(fields) if element.type == "error")
    assert (fields[at - 1].label, fields[at].value.count("other")) == (
        "Other triggers",
        1,
    )
    assert "The value before is still used" in fields[at].value
    assert not page.exception


def alike_rows() -> None:
    import streamlit as st

    from memviz.dashboard.ui.controls.setting import Setting
    from memviz.dashboard.ui.controls.setting_rows import setting_rows
    from memviz.dashboard.ui.controls.study import CompareState

    kept = {"trigger_tokens": 3000, "opaque_tokens": 5000}
    settings = [
        Setting(7, 0, "hand_off", {**kept, "keep_user_tokens": 64_000}),
        Setting(8, 1, "hand_off", {**kept, "keep_user_tokens": 0}),
        Setting(9, 2, "hand_off", {**kept, "trigger_tokens": 4000}),
    ]
    st.session_state.setdefault("compare", CompareState(settings=settings))
    setting_rows()


def test_rows_with_the_same_main_number_say_what_tells_them_apart() -> None:
    page = AppTest.from_function(alike_rows).run()
    assert not page.exception
    labels = [one.proto.popover.label for one in page.get("popover")]
    assert labels == [
        r"Hand\-off :gray[keep user 64,000 tokens]",
        r"Hand\-off :gray[keep user 0 tokens]",
        r"Hand\-off :gray[4,000 tokens]",
    ]


def test_all_of_memvizs_own_can_be_run() -> None:
    assert {"buffer", "window", "summary_buffer"} < set(offered_strategies())
