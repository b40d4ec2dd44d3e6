"""docs/field-guide.md, its pictures and docs/glossary.md are what the code says."""

from __future__ import annotations

import pytest

from docs.field_guide import (
    GLOSSARY,
    GUIDE,
    PICTURED_LIBRARIES,
    PICTURES,
    field_guide,
    glossary_page,
    pictures,
)
from memviz.strategies import strategies

AGAIN = "write it again: python -m docs.field_guide"
pytestmark = pytest.mark.skipif(
    any(strategies()[id]().reason_not_to_run() for id in PICTURED_LIBRARIES),
    reason="A strategy cannot be run here, so it has no picture.",
)


@pytest.mark.slow
def test_the_field_guide_and_its_pictures_are_current() -> None:
    assert field_guide() == GUIDE.read_text(encoding="utf-8"), AGAIN
    made = pictures()
    assert set(made) == {path.name for path in PICTURES.iterdir()}, AGAIN
    for name, svg in made.items():
        assert svg == (PICTURES / name).read_text(encoding="utf-8"), f"{name}: {AGAIN}"


def test_the_glossary_is_current() -> None:
    assert glossary_page() == GLOSSARY.read_text(encoding="utf-8"), AGAIN
