"""The words that two texts begin with in common."""

NEAR_CHARS = 64
"""Most texts that differ do so before this."""


def find_common_beginning(text: str, other: str) -> str:
    """Return the whole words that two texts begin with in common, without the white space after them."""
    # Bisection over slices: comparing a slice is one step in C, however long, where a loop over characters is slow.
    same = 0
    different = min(len(text), len(other)) + 1
    if text[:NEAR_CHARS] != other[:NEAR_CHARS]:
        different = min(different, NEAR_CHARS)
    while different - same > 1:
        middle = (same + different) // 2
        if text[:middle] == other[:middle]:
            same = middle
        else:
            different = middle
    common = text[:same]
    # A word that only begins alike is no shared word.
    if not (_is_end(text, same) and _is_end(other, same)):
        start_of_last_word = max(common.rfind(" "), common.rfind("\n")) + 1
        common = common[:start_of_last_word]
    return common.rstrip()


def _is_end(text: str, position: int) -> bool:
    return position == len(text) or text[position].isspace()
