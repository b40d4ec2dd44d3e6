"""Ports, versions, addresses, paths, branches and other names that only software has."""

from __future__ import annotations

import re

from memviz.metrics.retention.labelled_kinds import CODE, SOFTWARE, kind

_ENDINGS = "py|js|tsx?|json|ya?ml|toml|csv|tsv|sql|md|txt|pdf|xlsx?|docx?|pptx?|sh|conf|cfg|ini|log|html|css|java|go|rs"
_ENDINGS += "|rb|zip|gz|png|jpe?g|env|db|lock|service|parquet|ipynb|tf|xml"
_NO_PATH = re.compile(
    r"(?:and/or|he/she|she/he|his/her|him/her|w/o|n/a|yes/no|on/off|either/or|km/h|\w/\w|\d+/\d+|[a-z]+/[a-z]+)",
    re.IGNORECASE,
)
_SLASHED_TWICE = re.compile(r"/.*/")
_NO_PRODUCT = re.compile(
    r"(?:Day|Days|Step|Part|Week|Question|Option|Number|No|Phase|Point|Item|Task|Year|Grade|Level|Around|About|At|Only"
    r"|Just|Over|From|The|Am|Um|Bis|Vom|Ab|Seit|Mit|Für|Is|Are|In|On|By|For|With|And|But|Or|So|Then|Now|My|Our|We|It|Its|That|Room|Table|Max|Min|Jan"
    r"|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec|January|February|March|April|August|September|October"
    r"|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day) "
)


def _is_path(value: str) -> bool:
    """A path goes up from a root, has two slashes, or holds something else than letters: ``release/spring-26``."""
    if value.startswith(("/", "~", "./", "../")) or _SLASHED_TWICE.search(value):
        return True
    return _NO_PATH.fullmatch(value) is None


def _is_product(value: str) -> bool:
    return _NO_PRODUCT.match(value) is None


SOFTWARE_NAMES = (
    kind(
        "http www",
        r"(?P<value>(?:https?://|www\.)[^\s<>\"“”'’`，。）)]+[\w/])",
        "single fact",
        CODE,
        False,
    ),
    kind(
        "0",
        r"(?<![\w.])(?P<value>\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?)(?![\w.]*\w)",
        "single fact",
        SOFTWARE,
    ),
    kind(
        "port",
        r"\bports?(?: number)?(?: (?:is|to|on|from|now|=))* ?:?(?P<value>\d{2,5})(?![\w.]*\w)",
        "number",
        CODE,
        False,
    ),
    kind(
        "/",
        r"(?<![\w/.:@])(?P<value>(?:~|\.{1,2})?/(?:[\w.@+-]+/)*[\w.@+-]*\w/?)",
        "single fact",
        SOFTWARE,
        False,
    ),
    kind(
        "/",
        r"(?<![\w/.:@-])(?P<value>[A-Za-z][\w.-]*(?:/[\w.@-]*[\w@-])+)(?![\w/])",
        "single fact",
        SOFTWARE,
        False,
        _is_path,
    ),
    kind(
        ".",
        rf"(?<![\w/.@-])(?P<value>[\w-]+(?:\.[\w-]+)*\.(?:{_ENDINGS}))(?![\w-])",
        "single fact",
        SOFTWARE,
    ),
    kind(
        ".",
        r"(?<![\w/.@-])(?P<value>[a-z][\w-]*(?:\.[\w-]+)*\.(?:com|org|net|io|dev|app|de|cn|uk|eu|fr|example|local"
        r"|internal))(?![\w-])",
        "single fact",
        SOFTWARE,
    ),
    kind(
        "us eu ap sa ca me af cn euro asia",
        r"(?<![\w-])(?P<value>(?:us|eu|ap|sa|ca|me|af|cn|europe|asia|australia)-"
        r"(?:north|south|east|west|central)(?:east|west)?-?\d)(?![\w-])",
        "single fact",
        SOFTWARE,
        False,
    ),
    kind(
        "bran",
        r"\bbranch (?:(?:is|called|named|to|now) )*[`\"'“]?(?P<value>(?=[\w./-]*[-/_\d]|main\b|master\b"
        r"|develop\b)[\w./-]*\w)",
        "single fact",
        SOFTWARE,
        False,
    ),
    kind(
        "bran",
        r"\b(?P<value>(?=[\w./-]*[-/_\d]|main\b|master\b|develop\b|staging\b)[\w./-]*\w) branch\b",
        "single fact",
        SOFTWARE,
    ),
    kind(
        "_",
        r"(?<![\w./-])(?P<value>[A-Za-z]\w*_\w*[A-Za-z0-9])(?![\w/-])",
        "single fact",
        SOFTWARE,
        False,
    ),
    kind("#", r"(?<!\w)(?P<value>#[A-Za-z][\w-]{2,})", "single fact", SOFTWARE),
    kind(
        "0",
        r"\b(?:versions?|release|tag(?:ged)?|v)(?: (?:is|to|from|now))*[ :]?"
        r"(?P<value>v?\d+(?:\.\d+)*(?:-?(?:rc|beta|alpha)\.?\d*)?)(?![\w%]|[.,]\d)",
        "number",
        SOFTWARE,
        False,
    ),
    kind(
        "0",
        r"(?<![\w.,/-])(?P<value>v?\d+\.\d+\.\d+(?:-[\w.]+)?)(?![\w%]|[.,/]\d)",
        "number",
        SOFTWARE,
        False,
    ),
    kind(
        "0",
        r"(?-i:(?<![\w.-])(?P<value>[A-Z][A-Za-z+#.]+(?:[ -][A-Z][A-Za-z]+)? v?\d+(?:\.\d+){0,2}))"
        r"(?![\w%°€$:/-]|[.,]\d| ?(?:[ap]m|euros?|percent|people|minutes|hours|days)\b)",
        "single fact",
        SOFTWARE,
        True,
        _is_product,
    ),
    kind(
        "0",
        r"(?<![\w-])(?P<value>(?=[a-z-]*\d)[a-z]+(?:-[a-z]+)*-\d{1,4}[a-z]?)(?![\w-])",
        "single fact",
        SOFTWARE,
        False,
    ),
)
"""What is written in a sentence as machines read it. Most is taken from the assistant as well."""
