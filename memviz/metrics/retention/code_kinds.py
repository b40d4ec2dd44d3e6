"""Codes, numbers with a label, telephone numbers and e-mail addresses.

Telephone numbers are found by their label, or by their plus sign and length. The package phonenumbers, which knows the
numbering plans of all countries, takes 5 MB and, unless it is told a country, finds only numbers with a plus sign; no
conversation says its country.
"""

from __future__ import annotations

import re

from memviz.metrics.retention import label_words as part
from memviz.metrics.retention.labelled_kinds import CODE, PHONE, kind

_PHONE_LENGTHS = range(7, 16)
_NO_PHONE = re.compile(
    r"\d{4}-\d\d-\d\d|\d+(?:\.\d+){3}|(?:19|20)\d\d ?[-–] ?(?:19|20)\d\d"
)


def _is_code(value: str) -> bool:
    """Digits, or capital letters alone: "PIN 5093", "WELCOME", "B7KX", but not "code a1"."""
    return sum(map(str.isdigit, value)) != 1 or (
        len(value) > 3 and value.upper() == value
    )


def _is_phone(value: str) -> bool:
    return (
        sum(map(str.isdigit, value)) in _PHONE_LENGTHS
        and _NO_PHONE.search(value) is None
    )


PHONES = (
    kind(
        "0",
        rf"{part.PHONE_NOUN}[^.;!?\d+(]{{0,40}}(?P<value>{part.PHONE_DIGITS})",
        "number",
        PHONE,
        False,
        _is_phone,
    ),
    kind(
        "0",
        rf"(?<![\w+])(?P<value>{part.INTERNATIONAL})",
        "number",
        PHONE,
        False,
        _is_phone,
    ),
)
EMAILS = (kind("@", rf"(?P<value>{part.EMAIL})", "single fact", CODE),)
CODES = (
    kind(
        "0 code coupon voucher password passphrase discount promo",
        rf"{part.CODE_NOUN}{part.OF_SOMETHING}{part.SAYS}(?-i:(?P<value>{part.SPACED_CODE}|{part.CODE}))",
        "single fact",
        CODE,
        False,
        _is_code,
    ),
    kind(
        "0",
        rf"{part.NUMBERED}{part.SAYS}(?-i:(?P<value>{part.STRONG_CODE}))",
        "single fact",
        CODE,
    ),
    kind(
        "0",
        rf"\b(?:flights?|trains?|coach|bus|ferry|flug|zug|vol|(?:['’]m|am|['’]re|are) on)(?: number)?(?: is)? "
        rf"(?-i:(?P<value>{part.LINE_NUMBER}))",
        "single fact",
        CODE,
    ),
    kind(
        "0",
        rf"\b{part.NUMBERED_PLACE}{part.SAYS}(?P<value>\d{{1,4}}[A-Z]?)(?![\w%°€.,:/-]*\w)"
        r"(?! [a-z]+s\b| people\b)",
        "single fact",
        CODE,
    ),
    kind(
        "wifi wi wlan network ssid hotspot",
        r"\b(?:wi-?fi|wlan|network|ssid|hotspot)(?: network)?(?: name)?,?"
        r" (?:is |will be |runs |called |named |under |as )+"
        r"[\"“']?(?P<value>(?=\S*[a-z])(?=\S*[\d_])[\w-]{4,})(?!\w)",
        "single fact",
        CODE,
    ),
    kind(
        "blood blut",
        rf"\b(?:blood (?:type|group)|blutgruppe)(?: is| ist)?:? (?-i:(?P<value>{part.BLOOD_TYPE}))",
        "single fact",
        CODE,
    ),
    kind(
        "0",
        rf"(?<![\w.,])(?P<value>{part.PERCENT})(?= (?:\w+ )?(?:off|discount|rebate|less|cheaper|rabatt))",
        "number",
        CODE,
        False,
    ),
    kind(
        "save saves spar rabatt discount reduction",
        r"\b(?:saves?(?: us| you| me)?|spar\w*(?: wir| ich)?|(?:discount|reduction|rabatt) (?:of|von)) "
        rf"(?P<value>{part.PERCENT})(?!\w)",
        "number",
        CODE,
    ),
)
