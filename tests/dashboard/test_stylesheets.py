"""The styles of the pages."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from tests.tables import for_each

DASHBOARD = Path(str(files("memviz.dashboard")))
HAS_OF_ANYTHING = re.compile(r"(?:^|[\s>+~,*]):has\(", re.MULTILINE)
"""``:has(`` that no tag, class or attribute stands before: ``> :has(.a)``, ``*:has(.a)``."""


@for_each("path", sorted(DASHBOARD.rglob("*.css")))
def test_what_has_something_is_named(path: Path) -> None:
    """Of a rule for anything that has something in it, the browser asks each element of the page whether it has it, and
    a chart has thousands. Such rules took a seventh of what it costs to draw one."""
    rules = path.read_text(encoding="utf-8")
    assert HAS_OF_ANYTHING.findall(rules) == []
