"""A model behind an API of OpenAI's kind."""

import json
import os
import urllib.request

BASE_URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")  # or any API of the same kind


def complete(model: str, messages: list[dict]) -> str:
    """Send these messages to the model and return its text."""
    request = urllib.request.Request(
        f"{BASE_URL}/chat/completions",
        json.dumps({"model": model, "messages": messages}).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
    )
    with urllib.request.urlopen(request, timeout=600) as response:
        return json.load(response)["choices"][0]["message"]["content"]
