"""Tables of cases that are tried in one test."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

Test = Callable[..., None]


def for_each(
    names: str | Sequence[str], values: Iterable[Any]
) -> Callable[[Test], Test]:
    """Return a decorator that tries a test with each of these values, in one test.

    It is written as ``pytest.mark.parametrize`` is, which makes a test of each value: that is for values of which each
    takes long, or needs fixtures of its own. Every test costs some milliseconds before it does anything.

        @for_each(("text", "words"), [("", 0), ("two words", 2)])
        def test_words_are_counted(text: str, words: int) -> None: ...

    The first values that fail end the test, and stand below its failure: ``with text='two words', words=2``.
    """
    keys = names.replace(",", " ").split() if isinstance(names, str) else [*names]
    rows = [[*value] if len(keys) > 1 else [value] for value in values]

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        others = [
            parameter
            for name, parameter in signature.parameters.items()
            if name not in keys
        ]
        signature_without = signature.replace(parameters=others)

        @wraps(test)
        def try_each(*arguments: Any, **fixtures: Any) -> None:
            same_for_all = signature_without.bind(*arguments, **fixtures).arguments
            for row in rows:
                case = dict(zip(keys, row, strict=True))
                try:
                    test(**same_for_all, **case)
                except BaseException as failure:
                    shown = ", ".join(f"{key}={value!r}" for key, value in case.items())
                    failure.add_note(f"with {shown}")
                    raise

        try_each.__signature__ = signature_without  # type: ignore[attr-defined]
        return try_each

    return decorate
