"""What OpenAI's API, SDK, Codex and ChatGPT write."""
