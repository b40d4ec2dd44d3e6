"""Text from users and models is text: nothing in it may become markup."""

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~:$<>&@=])")
_REPLACED_LATER = re.compile(
    r"(?<=:)(?=[A-Za-z/])|(?<=[-<>~=])(?=[-<>=])|(?<=www)(?=\.)|(?=@)", re.IGNORECASE
)
"""The beginnings of icons, arrows and links, which Streamlit makes after Markdown was read and escapes are gone."""
MAX_NAME_CHARS = 60
_WORD_JOINER = "\u2060"  # takes no room


def plain(text: str) -> str:
    """``text`` for a place that reads Markdown, such that it shows exactly as it is, on one line."""
    return _MARKUP.sub(
        r"\\\1", _REPLACED_LATER.sub(_WORD_JOINER, " ".join(text.split()))
    )


def file_name(title: str) -> str:
    """A title as the name of a file, without ending: letters and digits of any script, parted by hyphens."""
    return (
        "-".join(re.findall(r"\w+", title.lower()))[:MAX_NAME_CHARS].strip("-")
        or "conversation"
    )
