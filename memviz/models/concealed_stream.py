"""A reply's text with keys concealed while it arrives, also one that is split over its pieces."""

from __future__ import annotations

from memviz.models.altered_secrets import AlteredSecrets

MOST_HELD_CHARS = 4096
"""So much text is held back at most: a text that begins like a key over and over is shown all the same, concealed."""


class ConcealedStream:
    """Gives a text as it arrives, without ``secrets``. What may be the beginning of one is held back until it is known
    whether it is, in ordinary texts next to nothing."""

    def __init__(self, secrets: AlteredSecrets) -> None:
        self._secrets = secrets
        self._shown_letters = ""  # the last ones: a secret may have begun in them
        self._held = ""

    def add(self, piece: str) -> str:
        """Take in one more piece; return what may be shown by now."""
        self._held += piece
        if len(self._held) > MOST_HELD_CHARS:
            return self._show(len(self._held))
        return self._show(self._secrets.open_from(self._shown_letters, self._held))

    def rest(self) -> str:
        """The text that was held back, concealed, now that nothing follows."""
        return self._show(len(self._held))

    def _show(self, end: int) -> str:
        shown = self._secrets.conceal(self._held[:end], before=self._shown_letters)
        letters = self._shown_letters + self._secrets.letters(self._held[:end])
        self._shown_letters = (
            letters[-self._secrets.longest :] if self._secrets.longest else ""
        )
        self._held = self._held[end:]
        return shown
