"""What is said until a summary is due for review."""

from __future__ import annotations

FACT = "My budget for the trip to Lisbon is 3,100 euros and my daughter Mira is allergic to hazelnuts."

FILLER = (
    "Tell me more about trams, museums, food and the weather in spring, with all details that you know. "
    * 3
)
