"""Words that people write before a colon, or as a heading, without anybody speaking: "Note:", "Step 2:"."""

from __future__ import annotations

_LABELS = """
    abstract accessed action actions added address advantages answers author background bcc benefits body bug
    bugs category caution caveat caveats cc changed changelog chapter characters code comment comments
    conclusion configuration cons context contents contributing created credits date day definition deprecated
    description details disadvantages disclaimer edit edited email error errors example examples explanation
    exported expected features figure file files fix fixed format from ftp fwd goal goals heading hint hints
    host http https id idea important info information ingredients input install installation instruction
    instructions introduction issue issues item items key keywords language last license link links list
    location mailto mode modified name note notes objective option options output overview page part password
    path phase phone plan point port problem problems pros ps quote reason reasoning reference references re
    reminder removed reply-to requirements result results risk risks scene score security see sentence section
    setting sincerely solution solutions source sources status step steps subject subtitle suggestion summary
    table tag tags takeaway task tasks thought thoughts time timestamp tip tips title tldr to todo topic total
    translation type unreleased update updated updates url usage username value version via warning warnings
    week why classifier changes contributors fields maintainer maintainer-email methods metadata-version packaging
    parameters performance platform provides-extra requires-dist requires-python returns types project-url
"""
LABELS = frozenset(_LABELS.split())


def is_label(name: str) -> bool:
    """Whether a name is such a word, alone or first of several: "Note to self", "Step 2"."""
    words = name.casefold().split()
    return not words or words[0].strip(".") in LABELS
