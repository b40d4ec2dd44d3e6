"""The names under which people and models speak in tables and texts, and words that are nobody's name."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from memviz.core.message_fields import ROLE_NAMES, role_named
from memviz.transcripts.user_names import is_same_name, no_such_user_error

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
    """Return whether a name is such a word, alone or first of several: "Note to self", "Step 2"."""
    words = name.casefold().split()
    return not words or words[0].strip(".") in LABELS


QUESTIONS = {
    "user": ("prompt", "question", "q"),
    "assistant": ("response", "answer", "a"),
}
"""Names that also head the parts of an answer: in a chat of "User" and "Assistant", "Question" is no speaker."""
IN_DATA_ALONE = frozenset(
    {
        "prompter",
        "bing",
        "bard",
        "gpt4",
        "gpt_4",
        "gpt_3.5",
        "gpt_3.5_turbo",
        "developer",
        "function",
        "observation",
    }
    | {
        f"{what}_{kind}"
        for what in ("function", "tool")
        for kind in ("response", "result", "output")
    }
)
"""Names of roles that are ordinary words, or no words, at the beginning of a line of text."""


class Speaker(NamedTuple):
    """The role that a name means, and whether the name is one of :data:`QUESTIONS`."""

    role: str
    asks: bool


SPEAKERS = {
    **{
        name: Speaker(role, False)
        for role in ROLE_NAMES
        for name in ROLE_NAMES[role].split()
    },
    **{
        name: Speaker(role, True) for role, names in QUESTIONS.items() for name in names
    },
}
"""Names that are speakers wherever they stand before a colon."""
for _name in IN_DATA_ALONE:
    del SPEAKERS[_name]

_MODELS = """
    alexa aria bard bing chatgpt claude codeium codestral codex cohere copilot cortana cursor deepseek devin
    ernie gemini gemma glm gpt granite grok huggingchat kimi llama meta mistral mixtral mythomax nova palm
    perplexity phi pi qwen replika siri vicuna windsurf yi assistant ai bot chatbot
"""
MODELS = frozenset(_MODELS.split())
"""Words in the names of models and assistants. They say whose side a speaker is on, not that a word is one."""
_WORDS = re.compile(r"[^\W\d_]+")


def role_of(name: str) -> str | None:
    """The role of a speaker's name in any letter case, or of a role's own name; ``None`` for any other."""
    speaker = SPEAKERS.get(name.strip().lower())
    return speaker.role if speaker else role_named(name)


def likely_role(name: str) -> str | None:
    """:func:`role_of`, and the role of a name that is made with that of a model or a role: "GPT-4o", "User 2"."""
    role = role_of(name)
    if role is not None:
        return role
    words = [word.lower() for word in _WORDS.findall(name)]
    if any(word in MODELS for word in words):
        return "assistant"
    return "user" if "user" in words or "customer" in words else None


def roles_of(names: Sequence[str], user: str | None = None) -> dict[str, str] | None:
    """The role of each of the names that speak in a text; ``None`` where they do not show who the user is.

    If ``user`` is given, everybody else is the assistant, but for the system and its tools. Raises
    :class:`UnclearUserError` where nobody is called so.
    """
    likely = {name: likely_role(name) for name in names}
    if user is not None:
        if not any(is_same_name(name, user) for name in names):
            raise no_such_user_error(user, names)
        roles = {}
        for name, role in likely.items():
            side = "user" if is_same_name(name, user) else "assistant"
            roles[name] = role if role in ("system", "tool") else side
        return roles
    roles_meant = list(likely.values())
    unknown = roles_meant.count(None)
    sides = {"user", "assistant"}.intersection(roles_meant)
    if (unknown and not sides) or (unknown > 1 and sides == {"assistant"}):
        return None
    other = "assistant" if "user" in sides else "user"
    return {name: role or other for name, role in likely.items()}
