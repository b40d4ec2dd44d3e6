"""Finding a key in a text that shows it in another form: a server may repeat a key in whatever way it got it."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote

HIDDEN = "***"
PART_CHARS = 8
"""So many characters of a key in a row are concealed. Fewer are in too many other words, and help nobody."""
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
            forms = [form for form in _forms(secret) if len(form) >= PART_CHARS]
            if _looks_random(secret):
                self._parts.update(form[start : start + PART_CHARS] for form in forms for start in _starts(form))
            else:
                self._wholes.update(forms)

    def conceal(self, text: str) -> str:
        """``text`` with asterisks in place of every secret."""
        places = [found.start() for found in _LETTER.finditer(text)]
        letters = "".join(text[place] for place in places).lower()
        shown, done = [], 0
        for start, end in _merged(sorted(self._ranges(letters))):
            shown += [text[done : places[start]], HIDDEN]
            done = places[end - 1] + 1
        return "".join([*shown, text[done:]])

    def _ranges(self, letters: str) -> Iterator[tuple[int, int]]:
        if self._parts:
            for start in _starts(letters):
                if letters[start : start + PART_CHARS] in self._parts:
                    yield start, start + PART_CHARS
        for whole in self._wholes:
            start = letters.find(whole)
            while start >= 0:
                yield start, start + len(whole)
                start = letters.find(whole, start + len(whole))


def _forms(secret: str) -> set[str]:
    """The letters and digits of a secret as it is, reversed, and in the usual encodings."""
    data = secret.encode("utf-8", "surrogatepass")
    plain = [secret, secret[::-1], quote(data, safe=""), data.hex(), *_base64_forms(data)]
    return {"".join(_LETTER.findall(form)).lower() for form in plain}


def _base64_forms(data: bytes) -> Iterator[str]:
    """What is the same in every Base64 text of something that holds ``data``, as ``user:key`` or ``Bearer key``: it
    depends on where among three bytes ``data`` begins."""
    for before in range(3):
        padded = bytes(before) + data
        whole = b64encode(padded[: len(padded) // 3 * 3]).decode()
        yield whole[4:] if before else whole


def _looks_random(secret: str) -> bool:
    """Whether a part of it would hardly be in a text by chance."""
    letters = "".join(_LETTER.findall(secret))
    return any(letter.isdigit() for letter in letters) or letters not in (letters.lower(), letters.upper())


def _starts(letters: str) -> range:
    return range(len(letters) - PART_CHARS + 1)


def _merged(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Sorted ranges, with those that touch made one."""
    first, last = -1, -1
    for start, end in ranges:
        if first >= 0 and start <= last:
            last = max(last, end)
            continue
        if first >= 0:
            yield first, last
        first, last = start, end
    if first >= 0:
        yield first, last
