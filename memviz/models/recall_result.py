"""The recall tool's answer to a model: how many messages came back, where they stand, and what does not exist."""

from dataclasses import dataclass

from memviz.core.text.wording import counted

_STANDING = "They stand right before the user's last message."
_AMONG = (
    "They stand right before the user's last message, among others that were recalled."
)


@dataclass(frozen=True, slots=True)
class RecallResult:
    """``fresh`` messages were added to the request, the last ones before the input unless they are ``among`` others
    that were recalled; ``held`` ones it had anyway, and ``in_place`` ones that had been cleared or shortened it has in
    full where they were said. ``cut`` were over the limit, and ``halves`` are calls or results of tools whose other
    half is not there. ``missing`` names what does not exist in a conversation of ``turns`` completed turns, messages by
    their index."""

    fresh: int
    held: int = 0
    cut: int = 0
    halves: int = 0
    missing: tuple[str, ...] = ()
    turns: int = 0
    among: bool = False
    in_place: int = 0

    @property
    def text(self) -> str:
        """The result in words."""
        sentences = [
            f"Recalled {counted(self.held + self.in_place + self.fresh, 'message')}."
        ]
        if self.fresh:
            sentences.append(_AMONG if self.among else _STANDING)
        if self.in_place:
            where = (
                "stands in full where it was"
                if self.in_place == 1
                else "stand in full where they were"
            )
            sentences.append(f"{self.in_place:,} of them {where} said.")
        if self.held:
            sentences.append(f"{self.held} of them you were sent anyway.")
        if self.cut:
            sentences.append(
                f"{self.cut} more were too many; those asked for by number are kept first, then the newest."
            )
        if self.halves:
            sentences.append(
                f"{self.halves} more were left out: a tool's call and its result only go together."
            )
        if self.missing:
            no = ", no ".join(self.missing)
            sentences.append(
                f"There is no {no}: this conversation has {counted(self.turns, 'turn')} so far."
            )
        return " ".join(sentences)
