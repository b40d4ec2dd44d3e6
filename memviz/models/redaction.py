"""Keeping API keys out of everything that is shown, written or pickled."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit, urlunsplit

from memviz.models.altered_secrets import HIDDEN, AlteredSecrets, looks_random

_SECRET_OPTION = re.compile(
    r"api_key|access_key|secret|password|credential|headers|(^|_)token$", re.IGNORECASE
)
_SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_SHORTEST_SECRET_CHARS = 6
"""Shorter values are words such as "none", and hiding them would garble a sentence."""
SHORTEST_KEY_CHARS = 12
"""A shorter value of a variable such as ``SORT_KEY`` may well be a word of a request or of a reply."""


def is_secret_option(name: str) -> bool:
    """Return whether a setting of this name holds a key or something like it."""
    return bool(_SECRET_OPTION.search(name))


def secrets_of(settings: Mapping[str, object]) -> set[str]:
    """Every key and password among the settings of a model."""
    known = [value for name, value in settings.items() if is_secret_option(name)]
    return {text for text in _texts(known) if len(text) >= _SHORTEST_SECRET_CHARS}


def environment_secrets() -> set[str]:
    """Every key and password among the environment variables."""
    named = (
        value for name, value in os.environ.items() if _SECRET_VARIABLE.search(name)
    )
    return {value for value in named if len(value) >= _SHORTEST_SECRET_CHARS}


def echoed_secrets(settings: Mapping[str, object]) -> AlteredSecrets:
    """The secrets that a server called with ``settings`` may repeat in a reply: the
    key, and whatever else looks like one of what was sent to it. Words are none, for a
    reply is shown and kept as it was given."""
    key = str(settings.get("api_key") or "")
    sent = (
        {key, *secrets_of(settings)}
        if key
        else environment_secrets() | secrets_of(settings)
    )
    keys = {
        one
        for one in sent
        if len(one) >= SHORTEST_KEY_CHARS and (one == key or looks_random(one))
    }
    return AlteredSecrets(keys)


def conceal(text: str, settings: Mapping[str, object]) -> str:
    """``text`` with every secret of ``settings`` and of the environment replaced by asterisks, also one that is
    encoded, reversed, cut, spelled in capitals or drawn apart. Takes time in proportion to the text's length."""
    secrets = environment_secrets() | secrets_of(settings)
    text = AlteredSecrets(secrets).conceal(text)
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def public_address(url: str) -> str:
    """``url`` without user, password, query and fragment; empty if it is not a web address."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return ""
        return urlunsplit(
            (parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")
        )
    except ValueError:
        return ""


def _texts(value: object) -> Iterator[str]:
    """Every text within nested lists and dictionaries, and the words of texts such as ``Bearer ...``."""
    if isinstance(value, str):
        yield value
        yield from value.split()
    elif isinstance(value, Mapping):
        yield from _texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
