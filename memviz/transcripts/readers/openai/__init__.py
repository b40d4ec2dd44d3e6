"""Files of OpenAI's API, SDK, Codex and ChatGPT."""
