"""What a browser makes of the stage's data, said once more: it holds only what changed from step to step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.dashboard.stage.lane import PIECE_KINDS

Json = dict[str, Any]


class Step(NamedTuple):
    """One setting at one step: what became of each message, what each takes, which facts are known."""

    request: Json
    codes: NDArray[np.uint8]
    sizes: NDArray[np.int64]
    known: str

    @property
    def rest_tokens(self) -> int:
        """Tokens of the request that belong to none of its pieces."""
        return int(self.request["tokens"]) - sum(
            self.piece_tokens(piece) for piece in self.request["pieces"]
        )

    def piece_tokens(self, piece: list[Any]) -> int:
        """Tokens of one piece: its own, or those of its messages."""
        assert piece[0] in PIECE_KINDS
        return (
            int(piece[3])
            if len(piece) > 3
            else int(self.sizes[piece[1] : piece[2]].sum())
        )


def unfolded(data: Json, setting: int) -> list[Step | None]:
    """The steps of a setting; ``None`` where it made no request of its own."""
    one, base = data["settings"][setting], data["base"]
    told = one["messages"] if one["messages"] is not None else data["messages"]
    codes = np.zeros(base + len(told), np.uint8)
    sizes = np.array([0] * base + [message[1] for message in told])
    known, found = "", list[Step | None]()
    for request in one["requests"]:
        if request is None:
            found.append(None)
            continue
        for start, stop, code in request.get("fates", ()):
            codes[start:stop] = code
        for position, tokens in request.get("sizes", ()):
            sizes[position] = tokens
        known = request.get("known", known)
        found.append(Step(request, codes.copy(), sizes.copy(), known))
    return found
