"""The titles of the dashboard's pages, each written once.

They stand this low since sentences of every room lead to a page ("choose it in
Library"). Documents and lessons cannot import them: a test counts where they name a page.
"""

COMPARE = "Compare"
FACTS = "Facts"
TUNE = "Tune"
CHAT = "Chat"
LESSONS = "Lessons"
LIBRARY = "Library"
GUIDE = "Guide"
