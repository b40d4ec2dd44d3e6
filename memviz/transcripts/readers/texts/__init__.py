"""Conversations as text: Markdown, plain text, tables, chat logs."""
