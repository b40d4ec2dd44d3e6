"""Points in time, however they are written."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memviz.transcripts.times import meta_with_time, moment
from tests.tables import for_each

SAID = datetime(2025, 3, 1, 10, 30, tzinfo=UTC)
SECONDS = SAID.timestamp()


@for_each(
    "value",
    [
        "2025-03-01T10:30:00Z",
        "2025-03-01 10:30:00",
        "2025-03-01T12:30:00+02:00",
        " 2025-03-01T10:30:00.000Z ",
        "2025/3/1 10:30",
        "2025/03/01 10:30:00",
        "2025-3-1 10:30",
        "2025年3月1日 10:30",
        SECONDS,
        int(SECONDS),
        SECONDS * 1e3,
        SECONDS * 1e6,
        int(SECONDS) * 10**9,
    ],
)
def test_the_same_moment(value: object) -> None:
    assert moment(value) == SAID
    assert meta_with_time(value) == {"time": "2025-03-01T10:30:00+00:00"}


@for_each(
    "value",
    [
        None,
        True,
        "",
        "soon",
        "2025-13-45",
        "2025/13/45 10:30",
        "1/3/2025 10:30",
        0,
        -5,
        12,
        10**400,
        float("nan"),
        float("inf"),
        [],
        {},
        "9" * 5000,
    ],
)
def test_no_moment(value: object) -> None:
    assert moment(value) is None
    assert meta_with_time(value) == {}


@given(st.none() | st.text() | st.integers() | st.floats() | st.datetimes().map(str))
def test_never_raises(value: object) -> None:
    found = moment(value)
    assert found is None or found.tzinfo is UTC
