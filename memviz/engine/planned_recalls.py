"""Holds the recalls that are planned for the turns of a replay, or for single calls of them.

A replay takes them as ``recalls={2: Recall(turns=[1])}`` and asks :meth:`PlannedRecalls.recalls_for` before each
request."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memviz.core.bounds import is_whole_number, quoted
from memviz.core.conversation import Log
from memviz.core.errors import RecallError
from memviz.core.turns import Request
from memviz.engine.recall import Recall

RequestKey = int | tuple[int, int]
"""A turn (1-based), or a turn and one of its calls (both 1-based)."""


def group_by_request(
    recalls: Iterable[tuple[RequestKey, Recall]],
) -> dict[RequestKey, list[Recall]]:
    """Group pairs of a request and a recall by their requests."""
    grouped: dict[RequestKey, list[Recall]] = {}
    for key, recall in recalls:
        grouped.setdefault(key, []).append(recall)
    return grouped


class PlannedRecalls:
    """The recalls of a replay, from a mapping of turns, or of (turn, call) pairs, to one recall or several.

    A recall into a request stays in the later requests of its turn: a model that was told something in the first call
    of a tool loop must not lose it in the second. A recall for a turn finds messages before that turn; a recall for a
    call finds messages before the input of that call.

    Raises :class:`RecallError` for any other value. Turns that the conversation does not have are ignored, because a
    link may come from another conversation.
    """

    def __init__(self, recalls: object) -> None:
        if recalls is None:
            recalls = {}
        if not isinstance(recalls, Mapping):
            raise RecallError(
                f"recalls are {quoted(recalls)}; they have to map turn numbers to recalls, "
                "such as {2: Recall(turns=[1])}."
            )
        self._planned: dict[int, dict[int, tuple[Recall, ...]]] = {}
        for key, recalls_of_key in recalls.items():
            turn, call = _read_request_key(key)
            self._planned.setdefault(turn, {})[call] = _check_recalls(
                key, recalls_of_key
            )

    def __bool__(self) -> bool:
        return bool(self._planned)

    def of_turn(self, turn: int) -> tuple[Recall, ...]:
        """Return all recalls of a turn, whatever call they are planned for."""
        of_turn: list[Recall] = []
        for _call, recalls in sorted(self._planned.get(turn, {}).items()):
            of_turn += recalls
        return tuple(of_turn)

    def __iter__(self) -> Iterator[Recall]:
        for turn in self._planned:
            yield from self.of_turn(turn)

    def recalls_for(
        self, log: Log, request: Request
    ) -> tuple[tuple[Recall, ...], tuple[int, ...]]:
        """Return the recalls that go into ``request``, and for each the log position before which it finds messages."""
        planned = self._planned.get(request.turn)
        if not planned:
            return (), ()
        turn = log.turn(request.turn)
        stops = {other.call: other.stop for other in log.requests_of(turn)}
        stops[request.call] = request.stop
        recalls: list[Recall] = []
        bounds: list[int] = []
        for call, wanted in sorted(planned.items()):
            if call <= request.call:
                bound = log.input_start(stops[call]) if call else turn.start
                recalls += wanted
                bounds += [bound] * len(wanted)
        return tuple(recalls), tuple(bounds)


def _read_request_key(key: object) -> tuple[int, int]:
    """Return the turn and the call that a key names; call 0 if it names a turn only."""
    if isinstance(key, int) and is_whole_number(key):
        return key, 0
    if isinstance(key, tuple) and len(key) == 2:
        turn, call = key
        are_whole = all(isinstance(n, int) and is_whole_number(n) for n in key)
        if are_whole and call >= 1:
            return turn, call
    raise RecallError(
        f"There is no turn {quoted(key)} to recall into; turns are numbered from 1 on, and so are the calls of one: "
        "write 12, or (12, 3) for the third call of turn 12."
    )


def _check_recalls(turn: object, wanted: object) -> tuple[Recall, ...]:
    recalls = (wanted,) if isinstance(wanted, Recall) else wanted
    if isinstance(recalls, Sequence):
        if all(isinstance(recall, Recall) for recall in recalls):
            return tuple(recalls)
    raise RecallError(
        f"The recall for turn {turn} is {quoted(wanted)}; it has to be a Recall or a list of them, "
        "such as Recall(turns=[1])."
    )
