"""Keeping API keys out of everything that is shown, written or pickled."""

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from urllib.parse import quote, urlsplit, urlunsplit

from memviz.core.pieces import joined

HIDDEN = "***"
PART_CHARS = 8
"""The fewest characters of a key in a row that are concealed. Fewer are in too many other words, and help nobody."""
BEGINNING_CHARS = 5
"""The fewest characters at the end of a text that may be the beginning of a key, of which the rest has not arrived."""
_LETTER = re.compile(r"[A-Za-z0-9]")


class AlteredSecrets:
    """Secrets in every form in which they are looked for.

    Only ASCII letters and digits count, without regard to case: so a secret is found in capitals, and whatever stands
    between its characters. A secret that looks random is found by each part of :data:`PART_CHARS`; one that could be
    made of words, by the whole of it.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._parts: set[str] = set()
        self._wholes: set[str] = set()
        for secret in secrets:
            forms = [form for form in _list_forms(secret) if len(form) >= PART_CHARS]
            if not looks_random(secret):
                self._wholes.update(forms)
                continue
            for form in forms:
                for start in _starts(form):
                    self._parts.add(form[start : start + PART_CHARS])
        self.longest = max(map(len, self._parts | self._wholes), default=0)
        """Letters and digits of the longest piece that is looked for."""

    @staticmethod
    def letters(text: str) -> str:
        """The letters and digits of ``text``, in lower case."""
        return "".join(_LETTER.findall(text)).lower()

    def conceal(self, text: str, *, before: str = "") -> str:
        """``text`` with asterisks in place of every secret, also of one that began in the letters ``before`` it."""
        if not self.longest:
            return text
        places, letters = _places_and_letters(before, text)
        pieces = []
        end_of_concealed = 0
        for secret in joined(self._ranges(letters)):
            first = max(0, secret.start - len(before))
            last = secret.stop - len(before) - 1
            if last >= 0:
                pieces += [text[end_of_concealed : places[first]], HIDDEN]
                end_of_concealed = places[last] + 1
        return "".join([*pieces, text[end_of_concealed:]])

    def open_from(self, before: str, text: str) -> int:
        """The place in ``text``, which follows the letters ``before``, where something begins
        that may be a part of a secret once more follows; the end of ``text`` if nothing
        does."""
        if not self.longest:
            return len(text)
        places, letters = _places_and_letters(before, text)
        start = self._open_start(letters)
        if start is None:
            return len(text)
        # A secret that ends where another may begin is not to be cut in two.
        for secret in joined(self._ranges(letters)):
            if secret.start < start <= secret.stop:
                start = secret.start
                break
        place = max(0, start - len(before))
        return places[place] if place < len(places) else len(text)

    def _open_start(self, letters: str) -> int | None:
        """The place from which on all ``letters`` are the beginning of a secret; ``None`` where there is none."""
        earliest = max(0, len(letters) - self.longest + 1)
        latest = len(letters) - BEGINNING_CHARS
        for start in range(earliest, latest + 1):
            if letters[start:] in self._beginnings:
                return start
        return None

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        """The endings of a text that is about to become a secret."""
        beginnings = set[str]()
        for piece in self._parts | self._wholes:
            beginnings.update(piece[:end] for end in range(BEGINNING_CHARS, len(piece)))
        return frozenset(beginnings)

    def _ranges(self, letters: str) -> Iterator[range]:
        """Yield the places of all pieces of secrets among ``letters``, in any order."""
        if self._parts:
            for start in _starts(letters):
                if letters[start : start + PART_CHARS] in self._parts:
                    yield range(start, start + PART_CHARS)
        for whole in self._wholes:
            start = letters.find(whole)
            while start >= 0:
                yield range(start, start + len(whole))
                start = letters.find(whole, start + len(whole))


def _places_and_letters(before: str, text: str) -> tuple[list[int], str]:
    """The places of the letters of ``text``, and all letters, those ``before`` it included."""
    places = [letter.start() for letter in _LETTER.finditer(text)]
    return places, before + "".join(text[place] for place in places).lower()


def _list_forms(secret: str) -> set[str]:
    """The letters and digits of a secret as it is, reversed, and in the usual encodings."""
    data = secret.encode("utf-8", "surrogatepass")
    plain = [
        secret,
        secret[::-1],
        quote(data, safe=""),
        data.hex(),
        *_list_base64_forms(data),
    ]
    return {"".join(_LETTER.findall(form)).lower() for form in plain}


def _list_base64_forms(data: bytes) -> Iterator[str]:
    """The part that is the same in every Base64 text of something that holds ``data``,
    as ``user:key`` or ``Bearer key``: it depends on where among three bytes ``data``
    begins."""
    for before in range(3):
        padded = bytes(before) + data
        # Base64 writes three bytes as four letters: the last group may hold bytes of what follows, the first one
        # those of what stands before.
        whole_groups = padded[: len(padded) // 3 * 3]
        encoded = b64encode(whole_groups).decode()
        yield encoded[4:] if before else encoded


def looks_random(secret: str) -> bool:
    """Return whether a part of it would hardly be in a text by chance."""
    letters = "".join(_LETTER.findall(secret))
    has_digit = any(letter.isdigit() for letter in letters)
    is_one_case = letters in (letters.lower(), letters.upper())
    return has_digit or not is_one_case


def _starts(letters: str) -> range:
    return range(len(letters) - PART_CHARS + 1)


# "api_key", "extra_headers", "azure_ad_token"
_SECRET_OPTION = re.compile(
    r"api_key|access_key|secret|password|credential|headers|(^|_)token$", re.IGNORECASE
)
# "OPENAI_API_KEY", "DB_PASSWORD"
_SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_SHORTEST_SECRET_CHARS = 6
"""Shorter values are words such as "none", and hiding them would garble a sentence."""
SHORTEST_KEY_CHARS = 12
"""A shorter value of a variable such as ``SORT_KEY`` may well be a word of a request or of a reply."""


def is_secret_option(name: str) -> bool:
    """Return whether a setting of this name holds a key or something like it."""
    return bool(_SECRET_OPTION.search(name))


def secrets_of(settings: Mapping[str, object]) -> set[str]:
    """Every key and password among the settings of a model."""
    secrets = [value for name, value in settings.items() if is_secret_option(name)]
    return {
        text for text in _list_texts(secrets) if len(text) >= _SHORTEST_SECRET_CHARS
    }


def environment_secrets() -> set[str]:
    """Every key and password among the environment variables."""
    secrets = set()
    for name, value in os.environ.items():
        if _SECRET_VARIABLE.search(name) and len(value) >= _SHORTEST_SECRET_CHARS:
            secrets.add(value)
    return secrets


def echoed_secrets(settings: Mapping[str, object]) -> AlteredSecrets:
    """The secrets that a server called with ``settings`` may repeat in a reply: the
    key, and whatever else looks like one of what was sent to it. Words are none, for a
    reply is shown and kept as it was given."""
    key = str(settings.get("api_key") or "")
    # Without a key of its own a call takes one from the environment.
    other_keys = set() if key else environment_secrets()
    keys = []
    for secret in {key, *secrets_of(settings), *other_keys}:
        may_be_key = secret == key or looks_random(secret)
        if may_be_key and len(secret) >= SHORTEST_KEY_CHARS:
            keys.append(secret)
    return AlteredSecrets(keys)


def conceal(text: str, settings: Mapping[str, object]) -> str:
    """``text`` with every secret of ``settings`` and of the environment replaced by asterisks, also one that is
    encoded, reversed, cut, spelled in capitals or drawn apart. Takes time in proportion to the text's length."""
    secrets = environment_secrets() | secrets_of(settings)
    text = AlteredSecrets(secrets).conceal(text)
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def public_address(url: str) -> str:
    """``url`` without user, password, query and fragment; empty if it is not a web address."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return ""
        _user, _at, host = parts.netloc.rpartition("@")
        return urlunsplit((parts.scheme, host, parts.path, "", ""))
    except ValueError:
        return ""


def _list_texts(value: object) -> Iterator[str]:
    """Every text within nested lists and dictionaries, and the words of texts such as ``Bearer ...``."""
    if isinstance(value, str):
        yield value
        yield from value.split()
    elif isinstance(value, Mapping):
        yield from _list_texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _list_texts(item)
