"""Tags in the texts of a chart that no chart may have."""

from __future__ import annotations

import re
from typing import Any


def unescaped_tags(value: Any) -> list[str]:
    texts = (
        [value] if isinstance(value, str) else list(value) if value is not None else []
    )
    return [
        text
        for text in texts
        if isinstance(text, str) and re.search(r"<(?!/?[bi]>|br>)", text)
    ]
