"""Conceals keys, tokens and passwords in watched conversations before they are stored.

The ``keeper`` passes every text through :class:`Secrets`: it replaces secrets of known
shapes, those in this process's environment, and those that the user's own patterns match.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memviz.core.errors import ConfigError
from memviz.core.messages import Message
from memviz.models.redaction import (
    HIDDEN,
    SHORTEST_KEY_CHARS,
    environment_secrets,
    looks_random,
)

_KEYS = (
    r"(?:sk|pk|rk|gsk|xai|pplx|r8|nvapi|glpat|lin_api|dop_v1|shpat|sntrys|whsec)[-_](?=[\w-]{0,80}\d)[\w-]{16,}",
    r"(?:gh[opusr]|github_pat|npm|hf|pypi)[_-](?=[\w-]{0,80}\d)[\w-]{20,}",
    r"xox[abeoprs]-[\w-]{10,}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    r"AIza[\w-]{30,}",
    r"ya29\.[\w-]{20,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}",
    r"eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{6,}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{50,}",
)
"""Shapes of keys and tokens of providers, as gitleaks and detect-secrets know them."""
_WHOLE = re.compile(
    rf"(?<![A-Za-z0-9])(?:{'|'.join(_KEYS)})"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----))*"
    r"(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
)
_AFTER_A_WORD = re.compile(
    r"""
      (\b(?:bearer|basic|authorization:\s*token)\s+)          # "Authorization: Bearer eyJhbGciOiJIUzI1"
        [\w.~+/=-]{16,}
    | (\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:)           # "postgres://ann:swordfish@db"
        [^\s/@]{1,200}(?=@)
    | (\b(?:set-)?cookie:\s{0,4})                            # "Cookie: session=31d4d96e407aad42"
        [^\r\n"']{6,4000}
    | (\bcurl\b[^\r\n]{0,200}?\s(?:-u|--user)[ =][\w.@-]{1,100}:   # "curl -u ann:swordfish https://a.org"
      |\bmysql\w*\b[^\r\n]{0,200}?\s-p)                      # "mysqldump -u ann -pswordfish"
        [^\s"']{4,200}
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A secret behind a word that says what it is; the word is the only group that matched."""
_NAMED = re.compile(
    r"""
    (?P<name>
        (?:(?P<password>password|passwd|passphrase|passwort|kennwort|contraseña|mot\ de\ passe|senha|\bpwd|\bpw\b)
          |secret|token|api[_-]?key|access[_-]?key|private[_-]?key)
        \w{0,20}\\?["']?                                       # the rest of a name, and its quote: token_2"
        (?P<sign>\s{0,4}[:=]\s{0,4}|\s(?:is|was|ist|es|est)\s|\s)
      | (?P<chinese>密码|密碼|口令|密钥|密鑰)\s{0,2}(?:[:=：]|是|为|為|\s)\s{0,4}
    )
    (?:
        (?P<quote>\\?["'])(?P<quoted>[^"'\r\n\\]{6,500})
      | (?P<bare>[^\s"'\\,;(){}\[\]<>$。，；]{6,500})(?P<call>\(|\[)?
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A value behind the name of a secret: ``DB_PASSWORD=swordfish``, ``"token": "a 1"``, 密码：abc123. One that is called
or looked into is code: ``token = find_token(``."""
_HAS_DIGIT = re.compile(r"\d")
_IS_PATH = re.compile(r"[~.]|/[^/]*/|/\D*$")
"""``~/.netrc``, ``/run/secrets/db1``, ``/swordfish``; not ``/kd83jQx9wPz``, as one of 64 secrets in Base64 begins."""
_IS_NUMBER = re.compile(r"[\d.,_:]+$")
_IS_CODE = re.compile(
    r"[A-Za-z_]\w*(\.\w+)+$|[A-Za-z_]*(?:pass|pwd|secret|token|key)[A-Za-z_]*$"
    r"|(?:string|str|number|optional|required|undefined|default|nothing|wrong|missing|unknown)$",
    re.IGNORECASE,
)
"""Code such as ``config.token`` or ``user_password``, and words that say what a value is."""


class Secrets:
    """The secrets to conceal."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        """``patterns`` are regular expressions of the user's. Raises
        :class:`memviz.ConfigError` for one that is none."""
        self._patterns = [_compile_pattern(pattern) for pattern in patterns]
        own_secrets = [
            secret
            for secret in environment_secrets()
            if len(secret) >= SHORTEST_KEY_CHARS and looks_random(secret)
        ]
        self._own = sorted(own_secrets, key=len, reverse=True)

    def conceal(self, text: str) -> str:
        """Return ``text`` with asterisks in place of each secret, in time that grows
        with its length."""
        for secret in self._own:
            text = text.replace(secret, HIDDEN)
        text = _WHOLE.sub(HIDDEN, text)
        text = _AFTER_A_WORD.sub(_hide_secret, text)
        text = _NAMED.sub(_hide_value, text)
        for pattern in self._patterns:
            text = pattern.sub(HIDDEN, text)
        return text

    def conceal_in(self, message: Message) -> Message:
        """Return the message without secrets: in its text, its calls and its notes."""
        calls = tuple(
            replace(call, arguments=self.conceal(call.arguments))
            for call in message.tool_calls
        )
        meta = self._conceal_inside(message.meta)
        content = self.conceal(message.content)
        return replace(message, content=content, tool_calls=calls, meta=meta)

    def _conceal_inside(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.conceal(value)
        if isinstance(value, Mapping):
            return {name: self._conceal_inside(inner) for name, inner in value.items()}
        if isinstance(value, list | tuple):
            return list(map(self._conceal_inside, value))
        return value


def _hide_secret(match: re.Match[str]) -> str:
    """Return the word before the secret, and asterisks: "Bearer ****"."""
    return f"{match[match.lastindex or 0]}{HIDDEN}"


def _hide_value(match: re.Match[str]) -> str:
    if match["quoted"]:
        return f"{match['name']}{match['quote']}{HIDDEN}"
    if match["call"] or not _is_secret(match):
        return match[0]
    return f"{match['name']}{HIDDEN}"


def _is_secret(match: re.Match[str]) -> bool:
    """Return whether a value without quotes is one, by how it looks and what sets it:

    - a number: a password set by a sign, "password: 123456";
    - letters and digits: any password, "my password is hunter2", and what a sign sets, "token: a1b2c3";
    - letters alone: a password set by a sign, "password: swordfish", and what an equals sign sets,
      "api_key=abcdefgh"; "secret: nothing" says something else.
    """
    value = match["bare"]
    if _IS_PATH.match(value) or _IS_CODE.match(value):
        return False
    is_password = bool(match["password"] or match["chinese"])
    sign = (match["sign"] or ":").strip()
    is_set = sign in (":", "=")
    if _IS_NUMBER.match(value):
        return is_password and is_set
    if _HAS_DIGIT.search(value):
        return is_password or is_set
    return sign == "=" or (is_password and is_set)


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigError(
            "command line",
            "--redact",
            0,
            f"is {pattern[:40]!r}, which is no regular expression ({error}).",
        ) from error
