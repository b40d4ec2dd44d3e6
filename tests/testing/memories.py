"""A conversation with a rule at its beginning, and memories of programs of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RULE = "always answer in euros"
PROMPT = "You are a travel guide."
SAID = (
    ("Hello! I plan a trip to Lisbon. Please always answer in euros.", "Gladly."),
    ("What does a hotel in Alfama cost?", "About 95 euros a night for two."),
    ("And a flight from Vienna?", "Around 180 euros with TAP."),
    ("Our budget is 1,400 euros.", "That leaves enough for the hotel."),
    ("Which museum should we see?", "The museum of tiles."),
    ("Where can we eat fish?", "At Ramiro, near Intendente."),
    ("Is there a tram to Belem?", "Tram 15 goes there."),
    ("How long do we need for Sintra?", "A whole day, by train."),
    ("Can you name a quiet beach?", "Praia da Adraga is quiet."),
    ("What should I pack?", "A light jacket and good shoes."),
)


def talk() -> list[dict[str, Any]]:
    """The conversation, ten turns behind a system prompt."""
    messages = [{"role": "system", "content": PROMPT}]
    for question, answer in SAID:
        messages.append({"role": "user", "content": question})
        messages.append({"role": "assistant", "content": answer})
    return messages


def write_talk(folder: Path) -> Path:
    path = folder / "trip.json"
    path.write_text(json.dumps(talk()), encoding="utf-8")
    return path


class LastMessages:
    """The newest messages, the system prompt among them only while it is one of these."""

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.all: list[dict[str, Any]] = []

    def append(self, message: dict[str, Any]) -> None:
        self.all.append(message)

    def load(self) -> list[dict[str, Any]]:
        return self.all[-self.keep :]


class Summary(LastMessages):
    """A system prompt, one summary in the words of the class, and the newest messages."""

    words = "The user plans a trip to Lisbon with a friend and asked about hotels, flights and museums so far"

    def load(self) -> list[dict[str, Any]]:
        if len(self.all) <= self.keep + 1:
            return self.all
        summary = {"role": "system", "content": self.words}
        return [self.all[0], summary, *self.all[-self.keep :]]
