"""Rows behind the back of a store: to damage them, and to count them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from memviz.storage.store import Store


def execute(store: Store, statement: str, **values: object) -> None:
    """Do one statement, such as ``UPDATE kept SET value = :value``."""
    with store._writing() as session:
        session.execute(text(statement), values)


def count_rows(store: Store, table: str) -> Any:
    """The number of rows of a table."""
    with store._reading() as session:
        return session.scalar(text(f"SELECT count(*) FROM {table}"))  # noqa: S608
