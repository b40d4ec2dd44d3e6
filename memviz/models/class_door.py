"""The door of a server that serves a class: the codes that let visitors in, and the cookies that identify them.

``memviz ui --class`` sets the variables of the environment that :func:`read_class_door` reads. Each browser is a
visitor with a library of its own, which ``memviz/storage/own_libraries.py`` opens.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unicodedata import normalize
from urllib.parse import quote

from memviz.core.errors import AccessError
from memviz.core.new_file import create_whole
from memviz.models.access import CLASS_CODE
from memviz.models.environment import make_variables

CLASS_FOLDER = "MEMVIZ_CLASS_FOLDER"
TEACHER_CODE = "MEMVIZ_TEACHER_CODE"
CLASS_ADDRESS = "MEMVIZ_CLASS_ADDRESS"
DOOR = "door"
"""The page of the door, also for those who are in: to sign out, or to come in with another code or name."""
DEFAULT_FOLDER = "memviz-class"
SHORTEST_CODE_CHARS = 6
SHORTEST_TEACHER_CODE_CHARS = 10
LONGEST_CODE_CHARS = 60
LONGEST_NAME_CHARS = 40
IDLE_DAYS = 30
"""A library that nobody has opened for so many days is deleted."""
DAY_SECONDS = 86_400
_KEY_BYTES = 32
_ID_BYTES = 16
_NAME_DIGITS = 12
_TEACHER_CODE_BYTES = 8
_COOKIE = re.compile(
    r"(?P<content>(?P<id>[0-9a-f]{32})\.(?P<name>[0-9a-f]*)\.(?P<proof>[0-9a-f]*))"
    r"\.(?P<signature>[0-9a-f]{64})"
)
"""``<id>.<name>.<proof>.<signature>``: the name as the hexadecimal digits of its UTF-8 bytes, the proof empty for
students."""


@dataclass(frozen=True)
class Visitor:
    """Somebody in the class: one browser, whose library has ``id`` for a name."""

    id: str
    name: str = ""
    """The name that they gave at the door; empty for somebody who gave none."""
    is_teacher: bool = False
    """They gave the teacher's code of this server."""


@dataclass(frozen=True)
class ClassDoor:
    """Lets in whoever gives ``code``, each browser as a visitor of its own, whose library lies in ``folder``. Whoever
    gives ``teacher_code`` comes in as a teacher; with an empty one nobody does."""

    code: str
    folder: Path = Path(DEFAULT_FOLDER)
    teacher_code: str = ""
    address: str = ""
    """Where the class finds this server, such as "http://192.168.1.5:8501"; empty where nobody has said it."""

    def check(self) -> None:
        """Raise :class:`memviz.core.errors.AccessError` for a code that is guessed too easily."""
        length = len(_normalize_code(self.code))
        if not SHORTEST_CODE_CHARS <= length <= LONGEST_CODE_CHARS:
            raise AccessError(
                f"The code of the class has {length} characters: choose one of {SHORTEST_CODE_CHARS} to "
                f"{LONGEST_CODE_CHARS}, such as two words."
            )
        if self.teacher_code:
            self._check_teacher_code()

    def _check_teacher_code(self) -> None:
        length = len(_normalize_code(self.teacher_code))
        if not SHORTEST_TEACHER_CODE_CHARS <= length <= LONGEST_CODE_CHARS:
            raise AccessError(
                f"The teacher's code has {length} characters: choose one of {SHORTEST_TEACHER_CODE_CHARS} to "
                f"{LONGEST_CODE_CHARS}, or leave it out, and one is made."
            )
        if _is_same_code(self.teacher_code, self.code):
            raise AccessError(
                "The teacher's code is the code of the class, so everybody would be a teacher: choose another one, or "
                "leave it out, and one is made."
            )

    def admits(self, entered: str) -> bool:
        """Return whether somebody entered one of the codes; upper and lower case, and spaces around it, are the
        same."""
        return _is_same_code(entered, self.code) or self.admits_as_teacher(entered)

    def admits_as_teacher(self, entered: str) -> bool:
        """Return whether somebody entered the teacher's code."""
        return bool(self.teacher_code) and _is_same_code(entered, self.teacher_code)

    def variables(self) -> dict[str, str]:
        """Return the environment variables that say all of this."""
        return make_variables(
            {
                CLASS_CODE: self.code,
                CLASS_FOLDER: self.folder,
                TEACHER_CODE: self.teacher_code,
                CLASS_ADDRESS: self.address,
            }
        )


def door_link(address: str, code: str) -> str:
    """Return a link to the door that enters a code: "http://192.168.1.5:8501/door#maple%20street". What stands behind
    "#" is sent to no server, so that no log has it."""
    return f"{address}/{DOOR}#{quote(code, safe='')}"


def make_teacher_code() -> str:
    """Return a code that nobody guesses, such as "3f9a-02bc-771e-d05b"."""
    digits = secrets.token_hex(_TEACHER_CODE_BYTES)
    return "-".join(digits[start : start + 4] for start in range(0, len(digits), 4))


def _is_same_code(entered: str, code: str) -> bool:
    entered_bytes = _normalize_code(entered).encode("utf-8", "surrogatepass")
    return hmac.compare_digest(entered_bytes, _normalize_code(code).encode())


def _normalize_code(code: str) -> str:
    """Return a code without what people type in different ways: case, spaces around it, and accents that keyboards
    write with different characters."""
    return normalize("NFC", code.strip()).casefold()


def read_class_door(environment: Mapping[str, str] = os.environ) -> ClassDoor | None:
    """Return the door that the environment names; ``None`` where this server serves no class."""
    code = environment.get(CLASS_CODE, "")
    if not code:
        return None
    folder = libraries_folder(environment)
    teacher_code = environment.get(TEACHER_CODE, "")
    return ClassDoor(code, folder, teacher_code, environment.get(CLASS_ADDRESS, ""))


def libraries_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder in which the libraries of visitors lie."""
    return Path(environment.get(CLASS_FOLDER) or DEFAULT_FOLDER)


def names_for_paths(words: str, folder: Path) -> str:
    """Return words with the names of files in ``folder`` in place of their paths:
    ``"/srv/maple/libraries/a.db is damaged."`` -> ``"a.db is damaged."``"""
    beginning = re.escape(str(folder.expanduser()))
    return re.sub(rf"{beginning}/(?:[\w.-]+/)*", "", words)


class VisitorCookies:
    """The cookies of one class: the id and the name of a visitor, signed, so that nobody can make one of somebody else.

    Signed with a key that lies with the libraries of the class, and with its code: a cookie of another class, or of the
    same one before it took another code, says nothing here. That of a teacher holds a proof, which the teacher's code
    is part of: under another one its visitor is the same, and no teacher.
    """

    def __init__(self, key: bytes, code: str, teacher_code: str = "") -> None:
        self._key = key
        self._code = _normalize_code(code)
        self._teacher_code = _normalize_code(teacher_code)

    @classmethod
    def of(cls, door: ClassDoor, key: bytes) -> VisitorCookies:
        """Return those of a class, signed with the ``key`` of its libraries."""
        return cls(key, door.code, door.teacher_code)

    @property
    def name(self) -> str:
        """The name of the cookie, the same on every server of the class and another one for another class."""
        return f"memviz_{self._sign('name')[:_NAME_DIGITS]}"

    def issue(
        self, name: str = "", *, is_teacher: bool = False, visitor_id: str = ""
    ) -> str:
        """Return the cookie of a visitor, a new one without ``visitor_id``. Of ``name`` it holds what can be shown."""
        visitor_id = visitor_id or secrets.token_hex(_ID_BYTES)
        name_digits = clean_name(name).encode().hex()
        proof = self._teacher_proof(visitor_id) if is_teacher else ""
        content = f"{visitor_id}.{name_digits}.{proof}"
        return f"{content}.{self._sign(content)}"

    def visitor_of(self, cookie: str) -> Visitor | None:
        """Return the visitor who brings a cookie along; ``None`` for one that was not issued here."""
        match = _COOKIE.fullmatch(cookie)
        if match is None:
            return None
        if not hmac.compare_digest(self._sign(match["content"]), match["signature"]):
            return None
        visitor_id = match["id"]
        name = bytes.fromhex(match["name"]).decode()
        return Visitor(visitor_id, name, self._proves(visitor_id, match["proof"]))

    def _proves(self, visitor_id: str, proof: str) -> bool:
        if not self._teacher_code:
            return False
        return hmac.compare_digest(self._teacher_proof(visitor_id), proof)

    def _teacher_proof(self, visitor_id: str) -> str:
        return self._sign(f"teacher\n{self._teacher_code}\n{visitor_id}")

    def _sign(self, content: str) -> str:
        signed = f"{self._code}\n{content}".encode()
        return hmac.new(self._key, signed, hashlib.sha256).hexdigest()


def clean_name(name: str) -> str:
    """Return a name in one line, without characters that are not seen: " Ana\\n Lopez" is "Ana Lopez"."""
    in_one_line = " ".join(normalize("NFC", name).split())
    printable = "".join(filter(str.isprintable, in_one_line))
    return printable[:LONGEST_NAME_CHARS].strip()


@cache
def read_folder_key(folder: Path) -> bytes:
    """Return the key of the libraries in a folder, which is made with it. Raises
    :class:`memviz.core.errors.AccessError` where the folder cannot be used."""
    path = folder.expanduser() / "key"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Of two servers that start at the same time one makes it.
        create_whole(path, secrets.token_bytes(_KEY_BYTES))
        key = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise AccessError(
            f"The folder of the class, {folder}, cannot be used: {reason}."
        ) from None
    if len(key) != _KEY_BYTES:
        raise AccessError(
            f"{path} is no key of a class: delete it, and every visitor begins anew."
        )
    return key
