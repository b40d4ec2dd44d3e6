"""Words: the sentences for what metrics find, each whole in one place. Pages, charts, the stage, reports and commands
share them.

- ``health``: warnings about a run; ``health_warnings``.
- ``budgets``, ``growth``: the warnings about limits and about money.
- ``warning``: the form of a warning, and the breaches of a run's books.
- ``compactions``: what became of a summarization or a clearing, where, why; ``compaction_words``.
- ``asked_length``: a summary that is longer than was asked for; ``broken_length_words``.
- ``requests``: names of requests, limits, and the picture of what was said and sent; ``name_of``, ``limit_rule``.
- ``authors``: who wrote summaries and replies, why a strategy acted, and what became of the facts of a message.
- ``shorten``: the beginning of a text, where there is no room for all of it.
- ``bundled_words``: titles, descriptions and notes of what comes with memviz, in the language of who reads them.
- ``live``: how full the window of a watched conversation is, and when it is compacted.
- ``prices``: prices, cache rules and pauses, and who says so; ``basis_in_words``.
- ``estimates``: what work of models will cost, and how long a sweep takes; ``estimate_words``.
- ``why``: why a statement was forgotten.

It imports metrics, tuning, watching and what those rest on; never charts, the stage, reports or pages.
"""

from memviz.core.translation import pgettext

BUNDLED_CONTEXT = "bundled"


def bundled_words(text: str) -> str:
    """Return a bundled title, description or note as its reader says it; any other text as it is."""
    return pgettext(BUNDLED_CONTEXT, text)


def shorten(text: str, most_chars: int) -> str:
    """Return ``text`` on one line, of at most ``most_chars`` characters; where it has more, the last one is an
    ellipsis: ``We fly to…``."""
    line = " ".join(text.split())
    if len(line) <= most_chars:
        return line
    return f"{line[: most_chars - 1]}…"
