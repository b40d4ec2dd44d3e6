"""Files whose import waits for a choice: kept on disk for an hour, so that a reload of the page does not lose them.

A reload begins a new session, and the only thing that it brings along is the address. So the address holds a name that
nobody can guess for each file that waits, and the file itself lies in a folder of this process.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import monotonic
from typing import NamedTuple

import streamlit as st

from memviz.core.errors import UnclearUserError
from memviz.dashboard.ui.library.state import Import, LibraryState
from memviz.transcripts.background import NamedBytes

PART = "import"
"""The part of an address that names files that wait."""
KEPT_SECONDS = 3600.0
KEPT_BYTES = 500_000_000


class _Kept(NamedTuple):
    name: str
    format: str | None
    size: int
    since: float


class WaitingFiles:
    """Files on disk by a secret name. The oldest go when there are too many bytes of them, all after an hour, and the
    whole folder with the process."""

    def __init__(
        self, kept_seconds: float = KEPT_SECONDS, kept_bytes: int = KEPT_BYTES
    ) -> None:
        self._folder = TemporaryDirectory(prefix="memviz-import-")
        self._kept_seconds, self._kept_bytes = kept_seconds, kept_bytes
        self._kept: dict[str, _Kept] = {}
        self._lock = Lock()

    def keep(self, file: NamedBytes, format: str | None) -> str:
        """Keep a file that is to be read in this format; returns its secret name."""
        secret = secrets.token_urlsafe(16)
        with self._lock:
            self._path(secret).write_bytes(file.content)
            self._kept[secret] = _Kept(
                file.name, format, len(file.content), monotonic()
            )
            self._let_go_of_old()
        return secret

    def find(self, secret: str) -> tuple[NamedBytes, str | None] | None:
        """The file of this name and its format, ``None`` if it is no longer kept."""
        with self._lock:
            self._let_go_of_old()
            kept = self._kept.get(secret)
            return (
                None
                if kept is None
                else (
                    NamedBytes(kept.name, self._path(secret).read_bytes()),
                    kept.format,
                )
            )

    def let_go(self, secret: str) -> None:
        """Keep a file no longer; one that is not kept is no error."""
        with self._lock:
            self._forget(secret)

    def _let_go_of_old(self) -> None:
        for secret in [*self._kept]:  # the oldest first
            too_many = sum(kept.size for kept in self._kept.values()) > self._kept_bytes
            if too_many or monotonic() - self._kept[secret].since > self._kept_seconds:
                self._forget(secret)

    def _forget(self, secret: str) -> None:
        if self._kept.pop(secret, None) is not None:
            self._path(secret).unlink(missing_ok=True)

    def _path(self, secret: str) -> Path:
        return Path(self._folder.name) / secret


@st.cache_resource(show_spinner=False)
def waiting_files() -> WaitingFiles:
    """Those of this server."""
    return WaitingFiles()


def waits(made: Import) -> bool:
    """Whether the visitor still has to choose: among conversations, or who the user is."""
    loaded = made.outcome.loaded
    several = loaded is not None and len(loaded.transcripts) > 1
    return (
        not made.saved
        and not made.left
        and (several or isinstance(made.outcome.error, UnclearUserError))
    )


def keep_waiting(state: LibraryState, files: Sequence[NamedBytes]) -> None:
    """Keep those of the files just read that wait for a choice."""
    for made, file in zip(state.imports, files, strict=False):
        if waits(made):
            made.secret = waiting_files().keep(file, made.format)


def name_in_address(state: LibraryState) -> None:
    """Let the address name the files that wait, and let go of those that are decided."""
    for made in state.imports:
        if made.secret and not waits(made):
            waiting_files().let_go(made.secret)
            made.secret = ""
    secrets_now = [made.secret for made in state.imports if made.secret]
    if st.query_params.get_all(PART) != secrets_now:
        st.query_params[PART] = secrets_now


def read_again_after_reload(state: LibraryState) -> None:
    """Begin to read the files that the address names, in a session that has not seen any yet."""
    secrets_there = st.query_params.get_all(PART)
    if not secrets_there or state.imports or state.reading is not None:
        return
    found = list(_found(secrets_there))
    for secret in secrets_there:
        waiting_files().let_go(
            secret
        )  # what still waits once it is read is kept under a new name
    if found:
        state.read([file for file, _ in found], found[0][1])
    else:
        del st.query_params[PART]
        st.info(
            "The file to choose from is no longer kept. Choose it once more.",
            icon=":material/info:",
        )


def _found(secrets_there: Sequence[str]) -> Iterator[tuple[NamedBytes, str | None]]:
    for secret in secrets_there:
        kept = waiting_files().find(secret)
        if kept is not None:
            yield kept


def forget(state: LibraryState) -> None:
    """Keep nothing of what waits: other files take its place."""
    for made in state.imports:
        waiting_files().let_go(made.secret)
