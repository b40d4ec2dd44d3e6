"""Write the texts that the code marks into the catalogues of all languages, and say what is missing:

    python -m docs.translate            # bring memviz/locale/ up to date, then check
    python -m docs.translate --check    # only check

Each room has a file of its own in each language. A text that several rooms say stands with the first of them.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import NamedTuple

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from memviz.core.translation import ENGLISH, LOCALE, languages, script_texts
from memviz.dashboard.guide.glossary import TERM_CONTEXT, glossary
from memviz.dashboard.guide.strategies import strategy_pages
from memviz.dashboard.words import BUNDLED_CONTEXT
from memviz.models.recordings.bundled import recordings
from memviz.strategies.parameters import NAME_CONTEXT, Parameter
from memviz.strategies.presets import presets
from memviz.transcripts.mapping.known import known_mappings
from memviz.transcripts.samples import bundled

ROOT = Path(__file__).parent.parent
KEYWORDS = {
    "_": None,
    "noop": None,
    "Said": None,
    "ngettext": (1, 2),
    "plural_noop": (1, 2),
    "pgettext": ((1, "c"), 2),
}
SOURCES = ("memviz", "pages", "app.py", "navigation.py")
Key = tuple[str | None, str | tuple[str, ...]]
"""The context of a text (mostly none) and the text, or both texts of a counted one."""


class Place(NamedTuple):
    """The place of a text in the code."""

    path: Path
    line: int


def room_of(path: Path) -> str:
    """Return the name of the catalogue of a file: ``charts``, ``compare``, ``words``, ``core``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] == "pages":
        return parts[1]
    if parts[0] != "memviz":
        return "shell"
    if parts[:3] == ("memviz", "dashboard", "ui") and len(parts) > 4:
        return parts[3]
    if parts[:2] == ("memviz", "dashboard"):
        return parts[2] if len(parts) > 3 else "shell"
    return parts[1]


ROOMS = (
    "core",
    "strategies",
    "models",
    "transcripts",
    "engine",
    "metrics",
    "code_export",
    "tuning",
    "storage",
    "words",
    "charts",
    "stage",
    "guide",
    "glossary",
    "reporting",
    "lessons",
    "shell",
    "controls",
)
"""The order in which rooms claim a text; the pages' rooms follow by name."""


def source_files() -> list[Path]:
    """Return the files that may mark texts, rooms in their order."""
    found = []
    for source in SOURCES:
        path = ROOT / source
        for suffix in ("py", "js", "html"):
            found += path.rglob(f"*.{suffix}") if path.is_dir() else []
        if path.is_file():
            found.append(path)
    outside = ("templates", "__pycache__")
    kept = [path for path in found if not set(outside) & set(path.parts)]
    return sorted(kept, key=_order)


def _order(path: Path) -> tuple[int, str, Path]:
    room = room_of(path)
    at = ROOMS.index(room) if room in ROOMS else len(ROOMS)
    return at, room, path


@cache
def marked_texts() -> dict[str, dict[Key, list[Place]]]:
    """Return the texts of each room with the places where they are marked."""
    found: dict[str, dict[Key, list[Place]]] = {}
    owner: dict[Key, str] = {}
    for path in source_files():
        for line, context, text in _texts_of(path):
            key = (context, text)
            room = owner.setdefault(key, room_of(path))
            found.setdefault(room, {}).setdefault(key, []).append(Place(path, line))
    for room, key, path in _declared_texts():
        owning = owner.setdefault(key, room)
        found.setdefault(owning, {}).setdefault(key, []).append(Place(path, 1))
    return found


def _declared_texts() -> Iterator[tuple[str, Key, Path]]:
    """Texts that are marked nowhere: the glossary, what comes with memviz, and what strategies say of themselves in
    docstrings and fields."""
    guide = ROOT / "memviz" / "dashboard" / "guide"
    for one in glossary().values():
        if one.on_screen:
            for form in (one.term, *one.also):
                yield "glossary", (TERM_CONTEXT, form), guide / "glossary.toml"
            yield "glossary", (None, one.meaning), guide / "glossary.toml"
    yield from _bundled_texts()
    known = ROOT / "memviz" / "transcripts" / "mapping" / "known"
    for mapping in known_mappings():
        yield "transcripts", (None, mapping.title), known / f"{mapping.format}.yaml"
    for page in strategy_pages().values():
        texts = [page.title, page.summary, page.gains, page.loses, page.hurts_when]
        texts += [*page.details, page.reference]
        for user in page.users:
            texts += [user.name, user.rule, user.source]
        for parameter in page.parameters:
            yield from _names_of(parameter)
            texts += [parameter.help, parameter.unit]
            texts += [meaning for _value, meaning in parameter.choices]
        for text in texts:
            if text:
                yield "strategies", (None, text), guide / "strategies.py"
    listed = ROOT / "memviz" / "strategies" / "presets.toml"
    for preset in presets().values():
        for text in (preset.title, preset.known, preset.differs):
            if text:
                yield "strategies", (None, text), listed


def _bundled_texts() -> Iterator[tuple[str, Key, Path]]:
    samples = ROOT / "memviz" / "transcripts" / "bundled"
    for id, transcript in bundled().items():
        for text in (transcript.title, transcript.description):
            yield "transcripts", (BUNDLED_CONTEXT, text), samples / f"{id}.json"
    files = ROOT / "memviz" / "models" / "recordings" / "bundled_files"
    for name, recording in recordings().items():
        for text in (recording.about.title, recording.about.note):
            yield "models", (BUNDLED_CONTEXT, text), files / f"{name}.recording"


def _names_of(parameter: Parameter) -> Iterator[tuple[str, Key, Path]]:
    """The name of a parameter, as a title and within a sentence."""
    path = ROOT / "memviz" / "strategies" / "parameters.py"
    name = parameter.name.replace("_", " ")
    short = parameter.name.removesuffix("_percent").removesuffix(f"_{parameter.unit}")
    short = short.removeprefix("enable_").replace("_", " ")
    for text in dict.fromkeys((name, name.capitalize(), short)):
        yield "strategies", (NAME_CONTEXT, text), path


def _texts_of(
    path: Path,
) -> Iterator[tuple[int, str | None, str | tuple[str, ...]]]:
    content = path.read_bytes()
    if path.suffix in (".js", ".html"):
        for text in script_texts(content.decode()):
            yield 1, None, text
    if path.suffix == ".py" and b"memviz.core.translation" in content:
        yield from _texts_of_code(content)
    if path.suffix != ".html":
        return
    for line, text, _comments, context in extract(
        "jinja2.ext:babel_extract", BytesIO(content), KEYWORDS
    ):
        if text:
            yield line, context, text


def _texts_of_code(
    content: bytes,
) -> Iterator[tuple[int, str | None, str | tuple[str, ...]]]:
    """The texts that a program marks, also those within the values of another one, which Babel passes over."""
    for node in ast.walk(ast.parse(content)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name not in KEYWORDS:
            continue
        wanted = len(KEYWORDS[name] or (1,))
        marked = node.args[:wanted]
        texts = tuple(one.value for one in marked if isinstance(one, ast.Constant))
        if len(texts) < wanted:
            continue  # a constant that is marked where it stands
        if name == "pgettext":
            yield node.lineno, texts[0], texts[1]
        else:
            yield node.lineno, None, texts if wanted > 1 else texts[0]


def catalogue_files(code: str) -> dict[str, Path]:
    """Return the files of a language by their rooms."""
    return {path.stem: path for path in sorted((LOCALE / code).glob("*.po"))}


def read_catalogue(path: Path) -> Catalog:
    """Return the texts of a file with their translations."""
    with path.open("rb") as file:
        return read_po(file)


def translations(code: str) -> dict[Key, Message]:
    """Return what is translated into a language, of all its files. The first room's counts."""
    files = catalogue_files(code)
    found: dict[Key, Message] = {}
    for room in sorted(files, key=lambda name: _order_of_room(name)):
        for message in read_catalogue(files[room]):
            if message.id and _is_translated(message):
                found.setdefault((message.context, message.id), message)
    return found


def _order_of_room(room: str) -> tuple[int, str]:
    return (ROOMS.index(room) if room in ROOMS else len(ROOMS)), room


def _is_translated(message: Message) -> bool:
    strings = message.string if isinstance(message.string, tuple) else (message.string,)
    return bool(strings) and all(strings)


def update(code: str) -> None:
    """Write the marked texts into the files of a language, with the translations that it has of them."""
    texts = marked_texts()
    known = translations(code)
    files = catalogue_files(code)
    head = _head(next(iter(files.values()))) if files else _new_head(code)
    for room in files.keys() - texts.keys():
        files[room].unlink()
    for room, keys in texts.items():
        path = LOCALE / code / f"{room}.po"
        own_head = _head(path) if path.exists() else head
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(own_head + "\n" + _entries(code, keys, known), encoding="utf-8")


def _head(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("\n\n", 1)[0] + "\n"


def _new_head(code: str) -> str:
    plurals = Catalog(locale=code).plural_forms
    lines = (
        f"Language: {code}",
        f"X-Language-Name: {code}",
        f"Plural-Forms: {plurals}",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
    )
    written = "".join(f'"{line}\\n"\n' for line in lines)
    return f'msgid ""\nmsgstr ""\n{written}'


def _entries(
    code: str, keys: Mapping[Key, list[Place]], known: Mapping[Key, Message]
) -> str:
    catalog = Catalog(locale=code)
    for context, text in keys:
        message = known.get((context, text))
        comments = message.user_comments if message else ()
        catalog.add(
            text,
            message.string if message else None,
            user_comments=comments,
            context=context,
        )
    for message in catalog:
        message.flags.clear()
    written = BytesIO()
    write_po(
        written,
        catalog,
        width=88,
        no_location=True,
        omit_header=True,
        sort_output=True,
    )
    return written.getvalue().decode()


def problems(code: str) -> list[str]:
    """Return a line for each text of a language that is missing or that cannot be right."""
    found = []
    files = catalogue_files(code)
    texts = marked_texts()
    for room, keys in texts.items():
        there = {}
        if room in files:
            there = {(one.context, one.id): one for one in read_catalogue(files[room])}
        for key in keys:
            message = there.pop(key, None)
            if message is None or not _is_translated(message):
                found.append(f"{code}/{room}.po: no translation of {_first(key)!r}")
            else:
                found += [f"{code}/{room}.po: {one}" for one in _wrong_in(message)]
        for key in there:
            if key[1]:
                found.append(f"{code}/{room}.po: nobody says {_first(key)!r}")
    for room in files.keys() - texts.keys():
        found.append(f"{code}/{room}.po: nobody says any of it")
    return found


def _first(key: Key) -> str:
    return key[1] if isinstance(key[1], str) else key[1][0]


def _wrong_in(message: Message) -> Iterator[str]:
    strings = message.string if isinstance(message.string, tuple) else (message.string,)
    texts = message.id if isinstance(message.id, tuple) else (message.id,)
    if message.fuzzy:
        yield f"fuzzy: {texts[0]!r}"
    wanted = set().union(*map(_braces, texts))
    needed = _braces(texts[-1])
    for string in strings:
        braces = _braces(string)
        if not needed <= braces | {"number"} or not braces <= wanted:
            yield f"{string!r} has not the braces of {texts[-1]!r}"


def _braces(text: str) -> set[str]:
    """The names of the values in a text; of one that is filled by nobody its braces are no names."""
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name}
    except ValueError:
        return set()


def main() -> None:
    """Bring the catalogues up to date and check them."""
    others = [code for code in languages() if code != ENGLISH]
    if "--check" not in sys.argv:
        for code in others:
            update(code)
    missing = [line for code in others for line in problems(code)]
    print("\n".join([*missing, f"{len(missing)} problems"]))
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
