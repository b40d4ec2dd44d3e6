"""LlamaIndex: chat engines with a memory."""
