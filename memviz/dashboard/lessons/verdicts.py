"""What is said to an answer, in the languages of lessons, as Markdown; a file of a lesson says the same."""

from __future__ import annotations

from memviz.dashboard.lessons.lesson import Language

RIGHT: dict[Language, str] = {"en": "**Right.**", "zh": "**答对了。**"}
NOT_QUITE: dict[Language, str] = {
    "en": "**Not quite:** you said “{said}”. It is: **{right}**",
    "zh": "**不太对**：你选的是“{said}”。答案是：**{right}**",
}
