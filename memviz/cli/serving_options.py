"""The options of ``memviz ui``, in groups of what belongs together."""

from dataclasses import dataclass
from typing import Annotated

from typer import Option

from memviz.core import page_titles
from memviz.models.class_door import DEFAULT_FOLDER

DEFAULT_PORT = 8501

Port = Annotated[
    int, Option("--port", min=1, max=65_535, help="The port to listen on.")
]
Address = Annotated[
    str,
    Option(
        "--address",
        help="The address to listen on. Any other than 127.0.0.1 needs a door: --class, --login, --identity-header, "
        "--password-file or --trust-everyone.",
    ),
]


@dataclass(frozen=True)
class AccessOptions:
    """The options that say who may use the dashboard, and what visitors may have it do."""

    password_file: Annotated[
        str,
        Option(
            "--password-file",
            metavar="FILE",
            envvar="MEMVIZ_PASSWORD_FILE",
            help="Ask each visitor for the password in this file, once a browser session.",
        ),
    ] = ""
    trust_everyone: Annotated[
        bool,
        Option(
            "--trust-everyone",
            envvar="MEMVIZ_TRUST_EVERYONE",
            help="Ask for no password: whoever reaches the address may read, change and delete every conversation.",
        ),
    ] = False
    allow_environment_keys: Annotated[
        bool | None,
        Option(
            "--allow-environment-keys/--no-allow-environment-keys",
            envvar="MEMVIZ_ALLOW_ENVIRONMENT_KEYS",
            help="Whether visitors who enter no API key use yours. [default: only at 127.0.0.1]",
        ),
    ] = None
    allow_private_base_urls: Annotated[
        bool | None,
        Option(
            "--allow-private-base-urls/--no-allow-private-base-urls",
            envvar="MEMVIZ_ALLOW_PRIVATE_BASE_URLS",
            help="Whether base URLs that visitors enter may lead to this machine and its network. "
            "[default: only at 127.0.0.1]",
        ),
    ] = None
    embeddable_by: Annotated[
        list[str] | None,
        Option(
            "--embeddable-by",
            metavar="ORIGIN",
            envvar="MEMVIZ_EMBEDDABLE_BY",
            help="Pages of this origin, such as https://course.example.com, may show memviz in a frame; may be "
            "repeated.",
        ),
    ] = None


@dataclass(frozen=True)
class WorkOptions:
    """The options that say what a server shows and measures, and how much of that each visitor may have."""

    fleet: Annotated[
        str,
        Option(
            "--fleet",
            metavar="FOLDER",
            envvar="MEMVIZ_FLEET",
            help=f"Show on the page {page_titles.FLEET} what memviz sweep --write wrote to this folder; its "
            "conversations can be opened.",
        ),
    ] = ""
    dask: Annotated[
        str,
        Option(
            "--dask",
            metavar="ADDRESS",
            envvar="MEMVIZ_DASK",
            help=f"Measure the sweeps of the page {page_titles.TUNE}, and replay long conversations, on the Dask "
            "cluster of this scheduler, such as tcp://10.0.0.7:8786, and on this server as long as it is gone. The "
            "conversations are sent there.",
        ),
    ] = ""
    limits: Annotated[
        list[str] | None,
        Option(
            "--limit",
            metavar="NAME=NUMBER",
            envvar="MEMVIZ_LIMITS",
            help="The most for each visitor who has a library: conversations=200, megabytes=100, replays=12 (at once), "
            "usd=1 (dollars for models), and replays-in-all=20 and usd-in-all=20 for all visitors together; may be "
            "repeated.",
        ),
    ] = None


@dataclass(frozen=True)
class ClassOptions:
    """The options of a dashboard that serves a class."""

    code: Annotated[
        str,
        Option(
            "--class",
            metavar="CODE",
            envvar="MEMVIZ_CLASS",
            help="Let in whoever gives this code, such as two words on a projector. Each browser has a library of its "
            "own, which no other visitor sees.",
        ),
    ] = ""
    folder: Annotated[
        str,
        Option(
            "--class-folder",
            metavar="FOLDER",
            envvar="MEMVIZ_CLASS_FOLDER",
            help="Where the libraries of a class lie, with the key that signs its cookies.",
        ),
    ] = DEFAULT_FOLDER
    teacher_code: Annotated[
        str,
        Option(
            "--teacher-code",
            metavar="CODE",
            envvar="MEMVIZ_TEACHER_CODE",
            help="Whoever enters this code at the door of the class is a teacher. Without it one is made, and printed.",
        ),
    ] = ""


@dataclass(frozen=True)
class IdentityOptions:
    """The options that say who signs visitors in."""

    login: Annotated[
        bool,
        Option(
            "--login",
            envvar="MEMVIZ_LOGIN",
            help="Let in whoever your provider of identities signs in (OpenID Connect, section [auth] of "
            ".streamlit/secrets.toml). Each has a library of their own.",
        ),
    ] = False
    header: Annotated[
        str,
        Option(
            "--identity-header",
            metavar="NAME",
            envvar="MEMVIZ_IDENTITY_HEADER",
            help="Let in whom a proxy in front names in this header, such as X-Forwarded-Email, each with a library of "
            "their own. Needs --trusted-proxy.",
        ),
    ] = ""
    trusted_proxies: Annotated[
        list[str] | None,
        Option(
            "--trusted-proxy",
            metavar="ADDRESS",
            envvar="MEMVIZ_TRUSTED_PROXIES",
            help="The header is believed from this address or network (10.0.0.5, 10.0.0.0/24) alone; may be repeated.",
        ),
    ] = None
    teachers: Annotated[
        list[str] | None,
        Option(
            "--teacher",
            metavar="EMAIL",
            envvar="MEMVIZ_TEACHERS",
            help="Whoever signs in under this address is a teacher; may be repeated.",
        ),
    ] = None


@dataclass(frozen=True)
class MonitoringOptions:
    """The options of what a running server tells about itself."""

    json_log: Annotated[
        bool,
        Option(
            "--json-log",
            envvar="MEMVIZ_JSON_LOG",
            help="Log one line of JSON for each page, replay and error, without texts, keys or names.",
        ),
    ] = False
    metrics: Annotated[
        str,
        Option(
            "--metrics",
            metavar="[ADDRESS:]PORT",
            envvar="MEMVIZ_METRICS",
            help="Serve figures for Prometheus there: visitors, seconds of pages and replays, errors, memory. "
            "[default address: 127.0.0.1]",
        ),
    ] = ""
