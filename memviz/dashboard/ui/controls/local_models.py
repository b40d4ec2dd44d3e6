"""Models that are served on the machine of the visitor: looked for with a click, chosen with another."""

import streamlit as st

from memviz.core.model_errors import BadRequestError
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.links import CHAT_MODEL, SUMMARIZER
from memviz.dashboard.ui.controls.pickers import (
    api_key_key,
    base_url_key,
    model_name_in,
    name_key,
)
from memviz.dashboard.ui.shell.elements import (
    button,
    buttons_row,
    session_text,
    show_caption,
    show_error,
    show_title,
)
from memviz.dashboard.ui.shell.server.checks import access
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.models.local_servers import LocalModel, LocalServers, find_local_servers

FIND = noop("Find models on this machine")
FIND_HELP = noop(
    "Asks Ollama, llama.cpp, LM Studio and vLLM at their usual ports of 127.0.0.1 what they serve. No "
    "other machine is asked, and no key is sent."
)
NOT_HERE = noop(
    "Models on the machine of this server are not looked for: visitors do not reach its addresses, "
    "unless who runs it says --allow-private-base-urls."
)
ANOTHER_PORT = noop("Another port of this machine")
PURPOSES = {SUMMARIZER: noop("For summaries"), CHAT_MODEL: noop("For answers")}
"""What a model is chosen for, by the picker that holds it."""
_FOUND = "local-models-found"
_REFUSED = "local-models-refused"
_ADDRESS = "local-models-address"
_LOOKED_AT = "local-models-looked-at"
_ROWS_SHOWN = 3
_ROWS_PIXELS = 330


def names_found() -> list[str]:
    """Return the names of the models that were found in this browser session."""
    return list(_by_name())


def _by_name() -> dict[str, LocalModel]:
    servers: LocalServers | None = widget_value(_FOUND)
    if servers is None:
        return {}
    return {model.name: model for model in reversed(servers.models)}


def _model_key(picker: str) -> str:
    """Return the key under which a session keeps the local model whose base URL was entered in a picker."""
    return f"{picker}-found"


def keep_addresses_apart() -> None:
    """Enter the base URL of a model that was found and is named in a picker, and take it out again once another model
    is: what is typed for that one, its key above all, belongs to its own provider. To be called before the pickers are
    drawn."""
    by_name = _by_name()
    for picker in PURPOSES:
        name = model_name_in(picker)
        model_entered: LocalModel | None = widget_value(_model_key(picker))
        if model_entered is not None and name != model_entered.name:
            if widget_value(base_url_key(picker)) == model_entered.api_base:
                set_widget(base_url_key(picker), "")
            set_widget(_model_key(picker), None)
            model_entered = None
        if name in by_name and model_entered is None:
            _choose(picker, by_name[name])


def local_models() -> None:
    """Draw a button that looks for models, and what it found: a row for each, to be chosen."""
    if not access().of_models.private_base_urls:
        st.caption(_(NOT_HERE))
        return
    if button(
        _(FIND),
        "find-local-models",
        ":material/search:",
        help=_(FIND_HELP),
        width="stretch",
    ):
        _look_for_models()
    if widget_value(_FOUND) is None:
        return
    rows = st.container(gap="small")
    address = session_text(
        _(ANOTHER_PORT),
        key=_ADDRESS,
        placeholder=_("such as 8081"),
        help=_("Where a server listens at a port that is not its usual one."),
    )
    if address != widget_value(_LOOKED_AT):
        _look_for_models()
    with rows:
        _show(widget_value(_FOUND))


def _look_for_models() -> None:
    """Ask the servers of this machine for their models, and keep those for this browser session."""
    address = widget_value(_ADDRESS) or ""
    set_widget(_LOOKED_AT, address)
    set_widget(_REFUSED, None)
    try:
        with st.spinner(_("Asking the programs on this machine")):
            set_widget(_FOUND, find_local_servers([address] if address.strip() else ()))
    except BadRequestError as error:
        set_widget(_REFUSED, error)


def _show(servers: LocalServers) -> None:
    is_long = len(servers.models) > _ROWS_SHOWN
    with st.container(
        height=_ROWS_PIXELS if is_long else "content",
        border=False,
        gap="small",
        key="local-models",
    ):
        for number, model in enumerate(servers.models):
            _draw_row(number, model)
    if (refused := widget_value(_REFUSED)) is not None:
        show_error(refused)
    for sentence in servers.sentences:
        show_caption(sentence)


def _draw_row(number: int, model: LocalModel) -> None:
    with st.container(gap="xxsmall", key=f"local-model-{number}"):
        show_title(model.title)
        st.caption(f"{plain(model.program)} · {model.context_words}")
        with buttons_row("xsmall"):
            for picker, label in PURPOSES.items():
                base = widget_value(base_url_key(picker))
                is_chosen = (
                    model_name_in(picker) == model.name and base == model.api_base
                )
                button(
                    _(label),
                    f"local-model-{number}-{picker}",
                    ":material/check:" if is_chosen else None,
                    _choose,
                    picker,
                    model,
                    disabled=is_chosen,
                )


def _choose(picker: str, model: LocalModel) -> None:
    """Enter the model's name and its base URL in a picker, and no key: one that was entered before belongs to another
    provider."""
    set_widget(name_key(picker), model.name)
    set_widget(base_url_key(picker), model.api_base)
    set_widget(api_key_key(picker), "")
    set_widget(_model_key(picker), model)
