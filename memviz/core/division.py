"""Division of whole numbers, rounded up."""


def ceil_div(amount: int, size: int) -> int:
    """Return the number of parts of ``size`` that hold ``amount``: ``ceil_div(7, 3)`` is 3."""
    # Floor division rounds down, so of the negative amount it rounds up.
    return -(-amount // size)
