"""Places in a file, such as "line 4, index 3", in the language of whoever reads them."""

from memviz.core.translation import Said, noop

_PLACES = {
    "index": noop("index {number}"),
    "line": noop("line {number}"),
    "row": noop("row {number}"),
    "message": noop("message {number}"),
    "event": noop("event {number}"),
    "fact": noop("fact {number}"),
    "conversation": noop("conversation {number}"),
}


def place_words(place: str) -> Said:
    """Return a place in a file such as "line 4, index 3", to be said in any language. A name at its beginning, which
    may hold commas, stays as it is."""
    parts = list(map(_part_of_place, place.split(", ")))
    known = len(parts)
    while known and isinstance(parts[known - 1], Said):
        known -= 1
    name = ", ".join(parts[:known])
    return Said("{list}", list=(name, *parts[known:]) if name else tuple(parts))


def _part_of_place(part: str) -> str:
    kind, _space, number = part.partition(" ")
    if kind in _PLACES and number.isdecimal():
        return Said(_PLACES[kind], number=number)
    return part
