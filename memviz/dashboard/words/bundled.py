"""The texts that come with memviz in the language of who reads them: they are stored as they were written."""

from memviz.core.translation import pgettext

BUNDLED_CONTEXT = "bundled"


def bundled_words(text: str) -> str:
    """Return a bundled title, description or note as its reader says it; any other text as it is."""
    return pgettext(BUNDLED_CONTEXT, text)
