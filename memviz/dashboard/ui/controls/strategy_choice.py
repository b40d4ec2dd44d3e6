"""The choice of the strategy of a setting: one of memviz's, or the memory of a product or a library."""

from collections.abc import Callable
from urllib.parse import quote

import streamlit as st

from memviz.core.text.wording import listed
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.shell.elements import show_caption
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.strategies import strategies
from memviz.strategies.base import Strategy
from memviz.strategies.library import LibraryStrategy
from memviz.strategies.presets import presets
from memviz.tuning.grid import find_refused_strategies
from memviz.tuning.scaling import scale_presets

PRESET_HELP = noop(
    "Takes over what it does when nothing is configured, scaled to this conversation: limits made for a whole context "
    "window would never be reached in a short one."
)


def offered_strategies(chosen: str = "") -> dict[str, type[Strategy]]:
    """Return the strategies to choose from, by id; the one that is ``chosen`` also where it cannot be run, as a link or
    a file may ask for it."""
    left_out = find_refused_strategies().keys() - {chosen}
    return {id: cls for id, cls in strategies().items() if id not in left_out}


def title_in_menu(cls: type[Strategy]) -> str:
    """Return the title of a strategy among others, with the version of the library that it runs."""
    return cls.title_here() if issubclass(cls, LibraryStrategy) else _(cls.title)


def refused_words() -> list[str]:
    """Return a line on each strategy that is not offered, and one on all whose libraries are not installed."""
    lines: list[str] = []
    libraries: dict[str, str] = {}
    for id, reason in find_refused_strategies().items():
        cls = strategies()[id]
        if issubclass(cls, LibraryStrategy) and cls.package:
            libraries[cls.library_name] = cls.package
            continue
        title = _(cls.title)
        words = _("Not offered: {strategy}. {reason}", strategy=title, reason=reason)
        lines.append(words)
    if libraries:
        lines.append(
            _(
                "Could be run here too, once installed with 'pip install {packages}': {libraries}.",
                packages=" ".join(libraries.values()),
                libraries=listed(libraries),
            )
        )
    return lines


def in_the_guide(cls: type[Strategy]) -> str:
    """Return what a strategy does, in a sentence of Markdown with a link to its page of the guide."""
    return _(
        "{summary} [More in the guide](guide?strategy={id})",
        summary=plain(_(cls.summary_line())),
        id=quote(cls.id),
    )


def choose_strategy(setting: Setting) -> None:
    """Draw the choice of the strategy of a setting; :func:`take_over` turns to it."""
    choices = offered_strategies(setting.strategy_id)
    lines = [f"**{_(cls.title)}**: {_(cls.summary_line())}" for cls in choices.values()]
    st.selectbox(
        _("Strategy"),
        list(choices),
        index=list(choices).index(setting.strategy_id),
        format_func=lambda id: title_in_menu(choices[id]),
        key=f"strategy-{setting.uid}",
        help="\n\n".join([*lines, *map(plain, refused_words())]),
    )


def choose_preset(setting: Setting, needed_tokens: Callable[[], int] | None) -> None:
    """Draw the choice of a product or a library, whose memory the setting becomes, scaled to the conversation where
    ``needed_tokens`` says how many tokens that takes in all."""
    all_presets = presets()
    key = f"preset-{setting.uid}"
    st.selectbox(
        _("What does your program use?"),
        list(all_presets),
        index=None,
        format_func=lambda id: _(all_presets[id].title),
        key=key,
        placeholder=_("A product or a library"),
        help=_(PRESET_HELP),
        on_change=_take_preset,
        args=(setting, key, needed_tokens),
    )
    preset = all_presets.get(widget_value(key) or "")
    if preset is not None and preset.strategy == setting.strategy_id:
        source = _("{title}: {known}.", title=_(preset.title), known=_(preset.known))
        differs = f" {_(preset.differs)}" if preset.differs else ""
        show_caption(f"{source}{differs}")


def _take_preset(
    setting: Setting, key: str, needed_tokens: Callable[[], int] | None
) -> None:
    preset = presets().get(widget_value(key) or "")
    if preset is None:
        return
    setting.turn_to_preset(preset)
    set_widget(f"strategy-{setting.uid}", preset.strategy)
    if needed_tokens is not None:
        limits = scale_presets(
            setting.strategy_class, needed_tokens(), preset.parameters
        )
        setting.scale(limits)
