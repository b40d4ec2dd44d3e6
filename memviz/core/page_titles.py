"""The titles of the dashboard's pages, each written once.

They stand this low since sentences of every room lead to a page ("choose it in
Library"). Documents and lessons cannot import them: a test counts where they name a page.
``_(COMPARE)`` is the title in the language of its reader.
"""

from memviz.core.translation import noop

COMPARE = noop("Compare")
FACTS = noop("Facts")
TUNE = noop("Tune")
CHAT = noop("Chat")
FLEET = noop("Fleet")
LIVE = noop("Live")
LESSONS = noop("Lessons")
LIBRARY = noop("Library")
GUIDE = noop("Guide")
