"""The classic memory classes of LangChain."""
