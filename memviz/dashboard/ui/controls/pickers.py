"""Choose a model (the built-in model, or any that litellm knows), a counter, a prompt. Keys live in this browser
session only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.counters import COUNTERS
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.links import SUMMARIZER
from memviz.dashboard.ui.controls.spending import (
    budgeted_model,
    heed_clicks_and_tell,
    spending,
)
from memviz.dashboard.ui.shell.elements import (
    button,
    session_choice,
    session_text,
    switch,
)
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.server.checks import access
from memviz.dashboard.ui.shell.state import begin_with, set_widget, widget_value
from memviz.metrics.cost.bounds import Askers
from memviz.models.base import FirstFailureEnds, Model
from memviz.models.names import OFFLINE, RECORDED_FIRST, RECORDING, in_words, is_free
from memviz.models.registry import known_models, model
from memviz.strategies.prompts import PROMPTS

OWN = noop("The strategy's own")
TITLES = [OWN, *(prompt.title for prompt in PROMPTS)]


def prompt_picker(
    place: DeltaGenerator,
    key: str,
    own: str,
    *,
    first: str = OWN,
    side: str = "",
    height: int = 150,
) -> str:
    """Return the chosen instruction, in a box to be changed. ``own`` is the strategy's; ``side`` tells two pickers
    apart."""
    text_key = instruction_key(key)
    begin_with(text_key, _instruction(first, own))
    lines = [f"**{_(prompt.title)}**: {_(prompt.purpose)}" for prompt in PROMPTS]
    place.selectbox(
        _("Prompt {side}", side=side).strip(),
        TITLES,
        format_func=_,
        index=TITLES.index(first),
        key=key,
        help="\n\n".join(lines),
        on_change=_take_prompt,
        args=(key, own),
    )
    template = noop("What the summarizer is told")
    if side:
        template = noop("What the summarizer is told, {side}")
    label = _(template, side=side)
    return str(place.text_area(label, key=text_key, height=height)).strip()


def instruction_key(key: str) -> str:
    """Return the key of the box that holds the instruction."""
    return f"{key}-instruction"


def _instruction(title: str, own: str) -> str:
    instructions = {prompt.title: prompt.instruction for prompt in PROMPTS}
    return instructions.get(title, own)


def _take_prompt(key: str, own: str) -> None:
    set_widget(instruction_key(key), _instruction(str(widget_value(key)), own))


JUDGE = "judged-judge"
"""The control of the model that judges answers."""
EMPTY_KEY = {
    True: noop(
        "Empty uses the provider's environment variable, at the provider's own address."
    ),
    False: noop("This server does not lend its own keys: enter yours."),
}
SOME_ADDRESS = {
    True: noop("such as http://127.0.0.1:8000/v1"),
    False: noop(
        "such as https://models.example.com/v1; not one of this server's own network"
    ),
}


def counter_picker(current: str, key: str) -> str:
    """Draw the choice of a counter; return its name."""
    begin_with(key, current)
    return st.selectbox(
        _("Token counter"),
        list(COUNTERS),
        key=key,
        format_func=lambda name: _(COUNTERS[name].title),
        help=_(
            "How tokens are counted, for every number on this page. Approximate for models with another "
            "tokenizer, such as Claude, Gemini and Llama."
        ),
    )


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model as chosen on a page. The key is never part of a repr and is stored nowhere.

    With ``recorded_first`` a recording takes the place of the offline model wherever
    one was made for exactly the run, which is decided before it
    (:func:`memviz.dashboard.ui.controls.replaying.run_key`). ``paced``: a recording
    takes as long as it took.
    """

    name: str = OFFLINE
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 60.0
    recorded_first: bool = False
    paced: bool = False

    @property
    def is_offline(self) -> bool:
        """True for the offline model."""
        return self.name == OFFLINE

    @property
    def label(self) -> str:
        """The name of the model in a sentence."""
        return _(RECORDED_FIRST if self.recorded_first else in_words(self.name))

    @property
    def is_free(self) -> bool:
        """True if it costs nothing and needs no network: the offline one, or a recording."""
        return is_free(self.name)

    @property
    def is_reached(self) -> bool:
        """True if a key or an address was entered."""
        return bool(self.api_key or self.api_base)

    @property
    def options(self) -> dict[str, Any]:
        """The options of its calls, with what visitors of this server may use of its machine."""
        return {
            "api_key": self.api_key,
            "api_base": self.api_base,
            "timeout": self.timeout_seconds,
            "access": access().of_models,
        }

    def build(self, look_up: Callable[[], object] = heed_clicks_and_tell) -> Model:
        """Return the model, for use in the run of a page: its calls are paid out of the session's budget, and a click
        ends them, also while its server says nothing; in another thread, what ``look_up`` raises ends them. Raises
        ModelError for a name that no provider knows."""
        if self.recorded_first:
            return workspace().recordings.first()
        if self.is_free:
            return workspace().recordings.player(self.name, paced=self.paced)
        return budgeted_model(model(self.name, **self.options), look_up)

    def build_summarizer(
        self, look_up: Callable[[], object] = heed_clicks_and_tell
    ) -> Model:
        """Return the model as a summarizer whose first failure ends the work, where every other call would fail
        likewise."""
        summarizer = self.build(look_up)
        return summarizer if self.is_free else FirstFailureEnds(summarizer)


class Models(NamedTuple):
    """The models of a page."""

    answerer: ModelChoice
    """Answers where replies are not the conversation's own."""
    summarizer: ModelChoice

    @property
    def are_free(self) -> bool:
        """True if neither costs anything."""
        return self.answerer.is_free and self.summarizer.is_free

    @property
    def askers(self) -> Askers:
        """The names of the models, with answers as long as this session allows, to bound what they cost."""
        tokens = spending().reply_tokens
        return Askers(self.answerer.name, self.summarizer.name, tokens)


def name_key(picker: str) -> str:
    """Return the key of the control that holds a model's name."""
    return f"{picker}-name"


def api_key_key(picker: str) -> str:
    """Return the key of the control that holds the model's API key."""
    return f"{picker}-key"


def base_url_key(picker: str) -> str:
    """Return the key of the control that holds the model's base URL."""
    return f"{picker}-base"


def summarizer_button(
    label: str, summarizer: str, key: str, help: str | None = None
) -> None:
    """Draw a button that chooses another summarizer on all pages."""
    button(label, key, None, set_widget, name_key(SUMMARIZER), summarizer, help=help)


def model_name_in(picker: str) -> str:
    """Return the name of the model that a picker holds, also before it is drawn."""
    return (widget_value(name_key(picker)) or RECORDED_FIRST).strip()


def _choose_pace(name: str, key: str) -> bool:
    """Return true if a recording is to take as long as it took, offered where that was measured."""
    recording = workspace().recordings.all.get(name.removeprefix(RECORDING))
    if recording is None or recording.seconds is None:
        return False
    return switch(
        _("As fast as it was"),
        key=f"{key}-paced",
        help=_("Each reply takes the seconds that it took."),
    )


def _offered_models(chosen: str) -> list[str]:
    """Return the names to choose from: free ones first, then what litellm knows. A bundled recording that
    plays unasked is named only where it is ``chosen``."""
    at_hand = workspace().recordings
    names = [RECORDED_FIRST, OFFLINE]
    names += [RECORDING + name for name in (*at_hand.opened, *at_hand.only_by_name)]
    if chosen.startswith(RECORDING):
        names.append(chosen)
    return list(dict.fromkeys([*names, *known_models()]))


def model_picker(
    label: str, key: str, help: str, also: Sequence[str] = ()
) -> ModelChoice:
    """Draw the controls that choose one model, out of those that are known and ``also`` these, and return it."""
    session_choice(
        label,
        (*_offered_models(model_name_in(key)), *also),
        key=name_key(key),
        accept_new_options=True,
        help=help,
        # A provider's names are no texts, and there are hundreds of them.
        format_func=lambda name: name if "/" in name else _(in_words(name)),
        placeholder=_("{recorded}, or provider/model", recorded=_(RECORDED_FIRST)),
    )
    name = model_name_in(key)
    if not is_free(name):
        return reach_controls(name, key)
    return free_choice(name, paced=_choose_pace(name, key))


def free_choice(name: str, *, paced: bool = False) -> ModelChoice:
    """Return the built-in model, a recording, or the one that plays recordings where there are any, by its name."""
    if name == RECORDED_FIRST:
        return ModelChoice(recorded_first=True)
    return ModelChoice(name, paced=paced)


def reach_controls(name: str, key: str) -> ModelChoice:
    """Draw the controls for how the model of this name is reached, and return it: with which key, where, and how
    patiently."""
    allowed = access().of_models
    secret, patience = st.columns([5, 4], vertical_alignment="bottom")
    api_key = secret.text_input(
        _("API key"),
        type="password",
        key=api_key_key(key),
        persist_state="session",
        autocomplete="off",
        help=_(
            "Kept for this browser session only, never stored. {keys}",
            keys=_(EMPTY_KEY[allowed.environment_keys]),
        ),
    )
    api_base = session_text(
        _("Base URL"),
        key=base_url_key(key),
        placeholder=_("the provider's own"),
        help=_(
            "Any address that speaks the OpenAI protocol, {address}.",
            address=_(SOME_ADDRESS[allowed.private_base_urls]),
        ),
    )
    timeout = patience.number_input(
        _("Timeout (s)"),
        1,
        600,
        60,
        key=f"{key}-timeout",
        persist_state="session",
        help=_("How long to wait for an answer before giving up."),
    )
    return ModelChoice(
        name, api_base.strip() or None, api_key.strip() or None, float(timeout)
    )
