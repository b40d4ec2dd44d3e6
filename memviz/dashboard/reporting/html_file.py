"""The base of the HTML files that leave memviz, reports and lessons: all that they need is in them, and their policy
lets a browser load nothing and run no script but their own, known by their hashes."""

import hashlib
from base64 import b64encode
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from memviz.dashboard.markup import lang_attribute
from memviz.dashboard.reporting.themes import THEMES
from memviz.dashboard.stage.files import own_text, style


def html_environment(
    package: str,
    css: str,
    scripts: Sequence[str],
    images: str,
    filters: dict[str, Callable[..., Any]],
) -> Environment:
    """Return what makes files of the templates of ``package``. Each includes ``head.html`` for the style ``css``
    and the policy, which lets pictures come from ``images``. Texts are escaped."""
    loaders = [PackageLoader(package, ""), PackageLoader(__package__, "")]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"lang": lang_attribute, **filters}
    environment.globals |= {
        "style": Markup(f"{own_text(package, css)}\n{style()}"),  # noqa: S704 - our own files
        "scripts": [Markup(script) for script in scripts],  # noqa: S704 - our own and Plotly's
        "hashes": [script_hash(script) for script in scripts],
        "images": images,
        "themes": THEMES,
        "version": memviz_version(),
    }
    return environment


def script_hash(script: str) -> str:
    """Return the name of a script in a Content-Security-Policy: the hash of its text between the tags."""
    return "sha256-" + b64encode(hashlib.sha256(script.encode()).digest()).decode()


def memviz_version() -> str:
    """Return the version that is installed."""
    try:
        return version("memviz")
    except PackageNotFoundError:  # run from its source folder
        return "not installed"
