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
    name_length = len(parts)
    while name_length and isinstance(parts[name_length - 1], Said):
        name_length -= 1
    name = ", ".join(parts[:name_length])
    places = parts[name_length:]
    return Said("{list}", list=(name, *places) if name else tuple(parts))


def _part_of_place(part: str) -> str:
    kind, _space, number = part.partition(" ")
    if kind in _PLACES and number.isdecimal():
        return Said(_PLACES[kind], number=number)
    return part
