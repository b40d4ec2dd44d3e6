"""The families of strategies: what a request holds beside the newest messages.

The guide shows them one below the other, in this order.
"""

from memviz.core.translation import noop

WORD_FOR_WORD = noop("Word for word")
SUMMARIES = noop("Summaries")
LISTED_FACTS = noop("Facts and documents")
LOOKED_UP = noop("Looked up")
TOOLS = noop("Tool results, and several steps")
LIBRARIES = noop("Libraries themselves, run here")
OTHERS = noop("From other packages")
FAMILIES = (
    WORD_FOR_WORD,
    SUMMARIES,
    LISTED_FACTS,
    LOOKED_UP,
    TOOLS,
    LIBRARIES,
    OTHERS,
)
