"""What Streamlit does for a browser, or again and again for each control, is done for AppTest once or not at all.

Nothing that a page or a test reads differs by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import (
    SessionState,
    _is_internal_key,
    is_element_id,
)
from streamlit.testing.v1 import local_script_runner

_COPY = SessionState.filtered_state.fget
assert _COPY is not None


class StateByKey(Mapping[str, Any]):
    """The values of a session by the keys that a page gave them. A control looks one of them up, for which Streamlit
    copies all: a twentieth of what it takes to draw a page."""

    def __init__(self, state: SessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        if is_element_id(key) or _is_internal_key(key):
            raise KeyError(key)
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._copied())

    def __len__(self) -> int:
        return len(self._copied())

    def __repr__(self) -> str:
        return repr(self._copied())

    def _copied(self) -> dict[str, Any]:
        copied: dict[str, Any] = _COPY(self._state)
        return copied


class CompiledOnce(ScriptCache):
    """The scripts of all pages that tests open, compiled once. AppTest compiles each of them for each run."""

    _compiled: ClassVar[dict[tuple[str, int], Any]] = {}

    def get_bytecode(self, script_path: str) -> Any:
        path = Path(script_path).resolve()
        key = (str(path), path.stat().st_mtime_ns)
        if key not in self._compiled:
            self._compiled[key] = super().get_bytecode(script_path)
        return self._compiled[key]


def apply() -> None:
    """Do so from now on, in this process."""
    # A server looks once for components in the installed packages. AppTest does so for every page that a test opens,
    # and reading the metadata of all packages takes longer than everything else that the test does.
    manifest_scanner.scan_component_manifests = cache(
        manifest_scanner.scan_component_manifests
    )
    SafeSessionState.filtered_state = property(lambda safe: StateByKey(safe._state))
    local_script_runner.ScriptCache = CompiledOnce
    # By its hash a browser is spared a message that it has: each message is written out once more for that.
    script_run_context.populate_hash_if_needed = lambda message: None
