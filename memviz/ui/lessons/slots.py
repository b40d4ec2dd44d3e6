"""The parts of the lesson that is written, each with what a control puts into it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from memviz.lessons.lesson import Language
from memviz.ui.shell.state import OwnLesson, widget_value


@dataclass(frozen=True)
class Slot:
    """A part of a lesson, by its name."""

    own: OwnLesson
    name: str
    number: int | None = None
    """The step (0-based) that it is a part of; ``None``: the lesson itself."""
    is_asked: bool = False
    """It is a part of what the step asks."""

    @property
    def value(self) -> Any:
        """Return what stands in it."""
        if self.number is None:
            return getattr(self.own, self.name)
        step = self.own.steps[self.number]
        return getattr(step.asked if self.is_asked else step, self.name)

    def put(self, value: Any) -> None:
        """Let it hold ``value``."""
        if self.number is None:
            setattr(self.own, self.name, value)
            return
        step = self.own.steps[self.number]
        changed = {self.name: value}
        if not self.is_asked:
            step = replace(step, **changed)
        elif step.asked is not None:
            step = replace(step, asked=replace(step.asked, **changed))
        self.own.steps[self.number] = step

    def put_shown(self, key: str) -> None:
        """Let it hold what the widget of this key shows."""
        self.put(widget_value(key))

    def put_text(self, language: Language, key: str) -> None:
        """Let its text say in ``language`` what the widget of this key shows."""
        said = (widget_value(key) or "").strip()
        if self.number is None:
            said = " ".join(said.split())
        self.put(replace(self.value, **{language: said}))

    def write(
        self,
        draw: Callable[..., object],
        label: str,
        key_name: str,
        language: Language,
        **options: Any,
    ) -> None:
        """Draw, by one of Streamlit's fields for text, what it says in a language, to be changed."""
        place = key_name if self.number is None else f"{key_name}-{self.number}"
        key = self.own.key(f"{place}-{language}")
        on_change = partial(self.put_text, language, key)
        said = getattr(self.value, language)
        draw(label, said, key=key, on_change=on_change, **options)
