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

from memviz.dashboard.guide.examples import Example, example_of
from memviz.dashboard.guide.glossary import Entry, glossary, shown_terms
from memviz.dashboard.guide.picture_svg import picture_svg
from memviz.dashboard.guide.strategies import StrategyPage, User
from memviz.strategies.parameters import Parameter
from memviz.strategies.table import anchor, own_strategies
from memviz.transcripts.samples import sample

FOLDER = Path(__file__).parent
GUIDE, PICTURES, ARCHITECTURE = (
    FOLDER / "field-guide.md",
    FOLDER / "field-guide",
    FOLDER / "architecture.md",
)
START, END = (
    "<!-- glossary: made by python -m docs.field_guide -->\n",
    "<!-- end of glossary -->\n",
)
INTRODUCTION = (
    "# Field guide\n\n"
    "<!-- Made by python -m docs.field_guide from the strategies' docstrings "
    "and memviz/dashboard/guide/glossary.toml. -->\n\n"
    "Every memory strategy of memviz on a page of its own, and [what the words mean](#glossary). The dashboard has the "
    "same on its page *Guide*, where each picture can be opened in Compare.\n\n"
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
            f"## Glossary\n\n{table(('word', 'meaning'), _meanings(shown_terms().values()))}",
        ]
    )


def pictures() -> dict[str, str]:
    """The pictures by the names of their files; none of a strategy that cannot be run here."""
    examples = {cls.id: example_of(cls.id) for cls in own_strategies()}
    return {
        f"{id}.svg": picture_svg(example.picture)
        for id, example in examples.items()
        if example is not None
    }


def with_glossary(text: str) -> str:
    """The text of architecture.md with the glossary between its two marks."""
    rows = (
        (one.term, one.meaning, one.code) for one in glossary().values() if one.code
    )
    before, _, rest = text.partition(START)
    return (
        before
        + START
        + table(("word", "meaning", "in the code"), rows)
        + END
        + rest.partition(END)[2]
    )


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
            *_picture(page, example_of(page.id)),
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
    yield f"![{picture.sentence}](field-guide/{page.id}.svg)\n"
    whose = (
        " Its summaries were recorded from a large language model."
        if example.is_recorded
        else ""
    )
    title = sample(example.conversation).title
    yield f"*{example.strategy.code_label}*, over “{title}”. {picture.sentence}{whose}\n"
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


def _meanings(entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    return ((f"**{entry.term}**", entry.meaning) for entry in entries)


def main() -> None:
    """Write all files."""
    GUIDE.write_text(field_guide(), encoding="utf-8")
    PICTURES.mkdir(exist_ok=True)
    for name, svg in pictures().items():
        (PICTURES / name).write_text(svg, encoding="utf-8")
    ARCHITECTURE.write_text(
        with_glossary(ARCHITECTURE.read_text(encoding="utf-8")), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
