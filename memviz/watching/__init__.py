"""Conversations of programs that are running, read as they grow and kept in the library
at once.

What was said is appended to an ordinary conversation: only what is new, secrets
concealed, each batch whole or not at all. It is private to the visitor whose library it
is in. Nothing here knows a page.
"""
