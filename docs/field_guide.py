"""Write the field guide, its pictures, and the glossary of architecture.md, all from what the code says of itself.

    python -m docs.field_guide

To be run after a strategy's docstring, its parameters or
memviz/dashboard/guide/glossary.toml changed; tests/test_field_guide.py holds that it
was. The pictures are of real runs, so they change with the strategies too.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from docs.guide_pictures import picture_svg
from docs.strategies_table import anchor, own_strategies
from memviz.dashboard.guide.examples import Example, example_of
from memviz.dashboard.guide.glossary import glossary
from memviz.dashboard.guide.strategies import StrategyPage, User
from memviz.dashboard.words.requests import picture_words
from memviz.strategies import strategy_class
from memviz.strategies.library import LibraryStrategy
from memviz.strategies.parameters import Parameter
from memviz.transcripts.samples import sample

FOLDER = Path(__file__).parent
GUIDE = FOLDER / "field-guide.md"
PICTURES = FOLDER / "field-guide"
GLOSSARY = FOLDER / "glossary.md"
PICTURED_LIBRARIES = (
    "langchain_context_editing",
    "langchain_summarization",
    "llama_index",
)
"""Strategies that run a library which comes with the extra dev."""
GLOSSARY_INTRODUCTION = (
    "# Glossary\n\n"
    "<!-- Made by python -m docs.field_guide from memviz/dashboard/guide/glossary.toml. -->\n\n"
    "Words on the screen and in the field, and what they are called in the code. The "
    "pages of the dashboard explain them under the pointer, and its page *Guide* lists them.\n\n"
)
INTRODUCTION = (
    "# Field guide\n\n"
    "<!-- Made by python -m docs.field_guide from the strategies' docstrings "
    "and memviz/dashboard/guide/glossary.toml. -->\n\n"
    "Every memory strategy of memviz on a page of its own, and [what the words "
    "mean](glossary.md). The dashboard has the same on its page *Guide*, "
    "where each picture can be opened in Compare.\n\n"
    "The pictures are of real runs over bundled conversations. Above stands all that was said until one request, a "
    "piece for each message in the colour of what became of it; below, on the same scale of tokens, what was sent.\n"
)


def field_guide() -> str:
    """The whole page."""
    pages = [StrategyPage.of(cls) for cls in own_strategies()]
    contents = "".join(
        f"| [{page.title}](#{anchor(page.title)}) | {page.summary} |\n"
        for page in pages
    )
    return "\n".join(
        [
            INTRODUCTION,
            f"| strategy | what it does |\n|---|---|\n{contents}",
            *map(_page, pages),
        ]
    )


def pictures() -> dict[str, str]:
    """The pictures by the names of their files; none of a strategy that cannot be run here."""
    examples = {cls.id: _example(cls.id) for cls in own_strategies()}
    return {
        f"{id}.svg": picture_svg(example.picture)
        for id, example in examples.items()
        if example is not None
    }


def _example(id: str) -> Example | None:
    """The example of a strategy; none of a library that does not come with the extra dev, for the guide is the same
    whatever is installed."""
    if issubclass(strategy_class(id), LibraryStrategy) and id not in PICTURED_LIBRARIES:
        return None
    return example_of(id)


def glossary_page() -> str:
    """The words of the glossary with their meanings and their names in the code."""
    rows = ((f"**{one.term}**", one.meaning, one.code) for one in glossary().values())
    return GLOSSARY_INTRODUCTION + table(("word", "meaning", "in the code"), rows)


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [[*heads], *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|") or " " for cell in line) + " |\n"
        for line in lines
    )


def _page(page: StrategyPage) -> str:
    said = (
        ("Gains", page.gains),
        ("Loses", page.loses),
        ("Hurts when", page.hurts_when),
    )
    return "\n".join(
        [
            f"## {page.title}\n",
            f"`{page.id}`: {page.summary} The rule is that of: {page.reference}.\n",
            *_picture(page, _example(page.id)),
            *(f"**{name}:** {text}\n" for name, text in said),
            f"**Used by**\n\n{''.join(map(_user, page.users))}",
            *(
                [_parameters(page.parameters)]
                if page.parameters
                else ["It has no parameters.\n"]
            ),
            *(f"{detail}\n" for detail in page.details),
        ]
    )


def _picture(page: StrategyPage, example: Example | None) -> Iterator[str]:
    if example is None:
        return
    picture = example.picture
    yield f"![{picture_words(picture)}](field-guide/{page.id}.svg)\n"
    whose = (
        " Its summaries were recorded from a large language model."
        if example.is_recorded
        else ""
    )
    title = sample(example.conversation).title
    yield f"*{example.strategy.code_label}*, over “{title}”. {picture_words(picture)}{whose}\n"
    chosen = example.strategy.model_dump(exclude_defaults=True)
    setting = [
        word for name, value in chosen.items() for word in ("--set", f"{name}={value}")
    ]
    words = [
        "memviz",
        "replay",
        f"sample-{example.conversation}",
        "--strategy",
        page.id,
        *setting,
    ]
    yield f"```sh\n{shlex.join(words)} --html {page.id}.html\n```\n"


def _user(user: User) -> str:
    return f"- *{user.name}*: {user.rule} ({user.source}).\n"


def _parameters(parameters: Iterable[Parameter]) -> str:
    rows = ((f"`{one.name}`", _default(one), one.help) for one in parameters)
    return table(("parameter", "default", "what more of it does"), rows)


def _default(parameter: Parameter) -> str:
    if parameter.default is None:
        return "its own"
    if parameter.is_number:
        return f"{parameter.default:,} {parameter.unit}"
    return (
        ("on" if parameter.default else "off")
        if parameter.kind is bool
        else f"`{parameter.default}`"
    )


def main() -> None:
    """Write all files."""
    GUIDE.write_text(field_guide(), encoding="utf-8")
    PICTURES.mkdir(exist_ok=True)
    for name, svg in pictures().items():
        (PICTURES / name).write_text(svg, encoding="utf-8")
    GLOSSARY.write_text(glossary_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
