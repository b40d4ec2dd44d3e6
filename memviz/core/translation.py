"""Texts in the language of whoever reads them: ``_("Open {title}", title=name)``.

The English text is the key of its translation, so that the code reads as it looks on the screen. Each folder below
``memviz/locale/`` is a language, whose ``.po`` files are read when somebody wants it first. ``python -m
docs.translate`` writes into them what the code marks; docs/translating.md says how to translate.

Commands, logs and programs that import memviz get English. The dashboard names a function that knows its visitor's
language (:func:`ask_for_language`), and a thread keeps the language of who started it (:func:`use_language`).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import c2py
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple, Self

ENGLISH = "en"
LOCALE = Path(__file__).parent.parent / "locale"
# '"X-Language-Name: Deutsch\n"'
_OWN_NAME = re.compile(r'^"X-Language-Name: (.*)\\n"$', re.MULTILINE)
_LINE = re.compile(r'(?:(msg\w+(?:\[\d\])?) )?"(.*)"$')
_ESCAPED = re.compile(r"\\(.)")
_MEANT = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_FUZZY = re.compile(r"^#,.*\bfuzzy\b", re.MULTILINE)
_PLURAL = re.compile(r"plural=([^;]+)")
_HAN = r"[\u3001-\u303f\u3400-\u9fff\uff01-\uffee“”…]"
# What marks emphasis stands between: that of Markdown, and U+E000 in the sentences of the stage.
_BEGINS_HAN = re.compile(rf"[*_\[(\ue000]*{_HAN}")
# "中文", "中文**"
_ENDS_HAN = re.compile(rf"{_HAN}(?:\]\([^)]*\))?[*_)\ue000]*$")
# '_("Copied")', 'data-say="Next"'
_IN_SCRIPT = re.compile(
    r'\b_\("((?:[^"\\]|\\.)+)"|\bdata-(?:say|title|label)="([^"]+)"'
)

_chosen: ContextVar[str | None] = ContextVar("memviz_language", default=None)
_ask: Callable[[], str] | None = None


# "{number:,} of {total}"
_PLAIN_TEMPLATE = re.compile(r"(?:[^{}]|\{\w+(?::[,g])?\})*")


class Said(str):
    """A text in English that remembers its template and its values, so that it can be kept and be read in any language:
    ``_(Said("of {number} choices only the first was imported", number=2))``.

    A value may be one too, and a tuple of values is a list of them.
    """

    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Self:
        with use_language(ENGLISH):
            sentence = super().__new__(cls, _fill(template, _shown(values)))
        sentence.template = template
        sentence.values = values
        return sentence

    @classmethod
    def of(cls, text: str) -> "Said":
        """Return the text, or one without values."""
        return text if isinstance(text, Said) else cls(text)


def template_of(text: object) -> str:
    """Return the template of a text that remembers it: ``Said("{number} lines", number=3)`` -> ``"{number} lines"``;
    empty for any other value."""
    return text.template if isinstance(text, Said) else ""


def to_json(value: Any) -> Any:
    """Return what a text is kept as, from which :func:`from_json` makes it again; a plain text is kept as it is."""
    if isinstance(value, Said):
        values = {name: to_json(part) for name, part in value.values.items()}
        return {"template": value.template, "values": values}
    return list(map(to_json, value)) if isinstance(value, tuple) else value


def from_json(value: Any) -> Any:
    """Return the text that was kept so. Raises ValueError where it is damaged."""
    if isinstance(value, list):
        return tuple(map(from_json, value))
    if not isinstance(value, dict):
        return value
    try:
        template = value["template"]
        values = {name: from_json(part) for name, part in value["values"].items()}
        # A field of a stored text names a value, and nothing that could be reached or made large through it.
        if not _PLAIN_TEMPLATE.fullmatch(template) and values:
            raise TypeError(template)
        return Said(template, **values)
    except (LookupError, AttributeError, TypeError, RecursionError) as error:
        raise ValueError(_("there should be a text")) from error


def _shown(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values in the language of now."""
    return {name: _said(value) for name, value in values.items()}


def _said(value: Any) -> Any:
    if isinstance(value, tuple):
        return _(", ").join(map(_said, value))
    return _(value) if isinstance(value, Said) else value


class _Catalogue(NamedTuple):
    """The translations of a language by context and English text, of counted texts one a form."""

    texts: Mapping[tuple[str | None, str], str | tuple[str, ...]]
    form: Callable[[int], int]
    """The number of the form that a number takes."""


@cache
def languages() -> dict[str, str]:
    """Return the languages that there are, English first: codes with the names that they call themselves."""
    name_by_code = {ENGLISH: "English"}
    for folder in sorted(path for path in LOCALE.iterdir() if path.is_dir()):
        for file in sorted(folder.glob("*.po")):
            head = file.read_text(encoding="utf-8").split("\n\n", 1)[0]
            own_name = _OWN_NAME.search(head)
            if own_name:
                name_by_code.setdefault(folder.name, own_name[1])
    return name_by_code


def known_language(name: str) -> str:
    """Return the language of a name such as ``zh`` or ``zh-CN``; empty where there is none."""
    code = name.strip().lower().replace("_", "-").split("-")[0]
    return code if code in languages() else ""


def ask_for_language(ask: Callable[[], str]) -> None:
    """Ask this function for the language of a text from now on, unless :func:`use_language` says it."""
    global _ask
    _ask = ask


@contextmanager
def use_language(code: str) -> Iterator[None]:
    """Translate into this language within the block, in its thread."""
    token = _chosen.set(code)
    try:
        yield
    finally:
        _chosen.reset(token)


def language_now() -> str:
    """Return the code of the language that texts are translated into here and now. It belongs into the key of
    whatever keeps texts."""
    code = _chosen.get()
    if code is not None:
        return code
    return ENGLISH if _ask is None else _ask()


def _(text: str, /, **values: object) -> str:
    """Return the text in the language of its reader, with the values in its braces: ``{tokens:,}``, ``{name}``.

    Without values braces stay as they are. A text that remembers its values (:class:`Said`) has them already.
    """
    if isinstance(text, Said):
        return _fill(_translate(None, text.template), _shown(text.values))
    return _fill(_translate(None, text), values)


def pgettext(context: str, text: str, /, **values: object) -> str:
    """Return the same for a text that is translated in one way here and in another one elsewhere; ``context`` says
    which one it is."""
    return _fill(_translate(context, text), values)


def ngettext(one: str, several: str, number: float, /, **values: object) -> str:
    """Return the text for this number of things. ``{number}`` in it is the number, unless a value has this name."""
    values.setdefault("number", number)
    code = language_now()
    if code != ENGLISH:
        catalogue = _read_catalogue(code)
        forms = catalogue.texts.get((None, one))
        if isinstance(forms, tuple):
            # A fraction takes the form of a number that is not one: 0.4 seconds.
            whole = int(number) if number == int(number) else 2
            return _fill(forms[catalogue.form(whole)], values)
    return _fill(one if number == 1 else several, values)


def noop(text: str) -> str:
    """Return the text as it is, marked to be translated: for constants, which are there before anybody reads them.
    ``_(CONSTANT)`` translates it where it is shown."""
    return text


def plural_noop(one: str, several: str) -> tuple[str, str]:
    """Return both texts as they are, marked for :func:`ngettext`."""
    return one, several


def script_texts(source: str) -> list[str]:
    """Return the texts that a script marks with ``_("…")``, and its HTML with ``data-say``, ``data-title`` and
    ``data-label``, which the script puts in their places."""
    texts = []
    for text, name in _IN_SCRIPT.findall(source):
        texts.append(text.replace('\\"', '"') or name)
    return texts


def script_words(source: str) -> dict[str, str]:
    """Return the translations of the texts that a script and its HTML mark; empty in English, which it has itself."""
    if language_now() == ENGLISH:
        return {}
    return {text: _translate(None, text) for text in script_texts(source)}


def _fill(template: str, values: Mapping[str, object]) -> str:
    if not values:
        return template
    if template.isascii() or language_now() == ENGLISH:
        return template.format(**values)
    return _fill_han(template, values)


def _fill_han(template: str, values: Mapping[str, object]) -> str:
    """A template in Chinese has a space beside each value, as between Chinese and a number or a Latin word. The space
    goes where the value is Chinese as well."""
    formatter = Formatter()
    filled = ""
    ends_han = False  # what is filled so far ends with a Chinese value
    for words, name, spec, conversion in formatter.parse(template):
        if ends_han and re.match(f" {_HAN}", words):
            words = words[1:]
        filled += words
        if name is None:
            continue
        field, _used = formatter.get_field(name, (), values)
        value = formatter.convert_field(field, conversion)
        formatted = formatter.format_field(value, spec or "")
        if _BEGINS_HAN.match(formatted) and re.search(f"{_HAN} $", filled):
            filled = filled[:-1]
        filled += formatted
        ends_han = bool(_ENDS_HAN.search(formatted))
    return filled


def _translate(context: str | None, text: str) -> str:
    code = language_now()
    if code == ENGLISH:
        return text
    translation = _read_catalogue(code).texts.get((context, text))
    return translation if isinstance(translation, str) else text


@cache
def _read_catalogue(code: str) -> _Catalogue:
    texts: dict[tuple[str | None, str], str | tuple[str, ...]] = {}
    plural = ""
    # An unknown code has no folder, and is as good as English.
    for path in sorted((LOCALE / code).glob("*.po")) if code in languages() else ():
        for entry in _read_entries(path.read_text(encoding="utf-8")):
            text = entry.pop("msgid", "")
            context = entry.pop("msgctxt", None)
            entry.pop("msgid_plural", "")
            forms = tuple(entry.values())  # in the order of the file: msgstr[0], …
            if not text:
                rule = _PLURAL.search(forms[0])
                plural = rule[1] if rule else plural
            elif all(forms):
                is_counted = "msgstr[0]" in entry
                texts.setdefault((context, text), forms if is_counted else forms[0])
    return _Catalogue(texts, c2py(plural or "n != 1"))


def _read_entries(po: str) -> Iterator[dict[str, str]]:
    """Yield the entries of a ``.po`` file by their keywords, without those that are fuzzy or obsolete. Babel reads the
    same in a second, for which no page should wait."""
    for block in po.split("\n\n"):
        if _FUZZY.search(block):
            continue
        # A text goes on in lines without a keyword, each a string of its own.
        entry: dict[str, str] = {}
        keyword = ""
        for line in block.splitlines():
            match = _LINE.match(line)
            if match:
                keyword = match[1] or keyword
                text = _ESCAPED.sub(lambda escape: _MEANT[escape[1]], match[2])
                entry[keyword] = entry.get(keyword, "") + text
        if entry:
            yield entry
