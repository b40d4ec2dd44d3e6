"""Choose a model: the offline one, or any that litellm knows. Keys live in this browser session only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from memviz.counters import COUNTERS
from memviz.models.base import Model
from memviz.models.first_failure import FirstFailureEnds
from memviz.models.interruptible import Interruptible
from memviz.models.registry import OFFLINE, known_models, model
from memviz.ui.shell.links import CHAT_MODEL, SUMMARIZER
from memviz.ui.shell.server.checks import access
from memviz.ui.shell.state import begin_with, heed_clicks, widget_value

__all__ = [
    "CHAT_MODEL",
    "EMPTY_KEY",
    "SOME_ADDRESS",
    "SUMMARIZER",
    "ModelChoice",
    "counter_picker",
    "model_picker",
    "name_key",
    "named",
]

EMPTY_KEY = {
    True: "Empty uses the provider's environment variable, at the provider's own address.",
    False: "This server does not lend its own keys: enter yours.",
}
SOME_ADDRESS = {
    True: "such as http://127.0.0.1:8000/v1",
    False: "such as https://models.example.com/v1; not one of this server's own network",
}


def counter_picker(current: str, key: str) -> str:
    """The chosen counter's name."""
    begin_with(key, current)
    return st.selectbox(
        "Token counter",
        list(COUNTERS),
        key=key,
        format_func=lambda name: COUNTERS[name].title,
        help="How tokens are counted, for every number on this page.",
    )


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model as chosen on a page. The key is never part of a repr and is stored nowhere."""

    name: str = OFFLINE
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 60.0

    @property
    def is_offline(self) -> bool:
        """Whether it costs nothing and needs no network."""
        return self.name == OFFLINE

    @property
    def options(self) -> dict[str, Any]:
        """How it is called, with what visitors of this server may use of its machine."""
        return {
            "api_key": self.api_key, "api_base": self.api_base, "timeout": self.timeout_seconds,
            "access": access().of_models,
        }  # fmt: skip

    def build(self, look_up: Callable[[], object] = heed_clicks) -> Model:
        """The model, for use in the run of a page: a click ends its call, also while its server says nothing; in
        another thread, what ``look_up`` raises ends it. Raises ModelError for a name that no provider knows."""
        if self.is_offline:
            return model(OFFLINE)
        return Interruptible(model(self.name, **self.options), look_up)

    def build_summarizer(self, look_up: Callable[[], object] = heed_clicks) -> Model:
        """The same as a summarizer whose first failure ends the work, where every other call would fail likewise."""
        built = self.build(look_up)
        return built if self.is_offline else FirstFailureEnds(built)


def name_key(picker: str) -> str:
    """The key of the control that holds a model's name."""
    return f"{picker}-name"


def named(picker: str) -> str:
    """The name of the model that a picker holds, also before it is drawn."""
    return (widget_value(name_key(picker)) or OFFLINE).strip()


def model_picker(label: str, key: str, help: str, also: Sequence[str] = ()) -> ModelChoice:
    """Controls that choose one model, out of those that are known and ``also`` these."""
    st.selectbox(
        label, (*known_models(), *also), key=name_key(key), accept_new_options=True, help=help, persist_state="session",
        placeholder="offline, or provider/model",
    )  # fmt: skip
    name = named(key)
    if name == OFFLINE:
        return ModelChoice()
    allowed = access().of_models
    api_key = st.text_input(
        "API key", type="password", key=f"{key}-key", persist_state="session", autocomplete="off",
        help=f"Kept for this browser session only, never stored. {EMPTY_KEY[allowed.environment_keys]}",
    )  # fmt: skip
    api_base = st.text_input(
        "Base URL", key=f"{key}-base", persist_state="session", placeholder="the provider's own",
        help=f"Any address that speaks the OpenAI protocol, {SOME_ADDRESS[allowed.private_base_urls]}.",
    )  # fmt: skip
    timeout = st.number_input(
        "Timeout (seconds)", 1, 600, 60, key=f"{key}-timeout", persist_state="session",
        help="How long to wait for an answer before giving up.",
    )  # fmt: skip
    return ModelChoice(name, api_base.strip() or None, api_key.strip() or None, float(timeout))
