"""LangChain 1: agents with middleware."""
