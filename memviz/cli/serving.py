"""``memviz ui``: the dashboard in the browser."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NoReturn

from typer import Option

from memviz.cli.errors import OutputError
from memviz.cli.options import Database
from memviz.cli.output import complain
from memviz.core import page_titles
from memviz.dashboard import dashboard_folder
from memviz.models.access import (
    JSON_LOG,
    LOGIN,
    METRICS,
    ServerAccess,
    metrics_place,
    read_password,
    readable_by_others,
)
from memviz.models.class_door import (
    CLASS_ADDRESS,
    CLASS_FOLDER,
    DEFAULT_FOLDER,
    ClassDoor,
    door_link,
    make_teacher_code,
)
from memviz.models.identities import TEACHERS, TrustedProxies
from memviz.models.visitor_limits import LIMITS, visitor_limits

DEFAULT_PORT = 8501
ELSEWHERE = "192.0.2.1"
"""An address of no machine (RFC 5737), by which the system chooses the way to the network."""
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
PasswordFile = Annotated[
    str,
    Option(
        "--password-file",
        metavar="FILE",
        envvar="MEMVIZ_PASSWORD_FILE",
        help="Ask each visitor for the password in this file, once a browser session.",
    ),
]
TrustEveryone = Annotated[
    bool,
    Option(
        "--trust-everyone",
        envvar="MEMVIZ_TRUST_EVERYONE",
        help="Ask for no password: whoever reaches the address may read, change and delete every conversation.",
    ),
]
ClassCode = Annotated[
    str,
    Option(
        "--class",
        metavar="CODE",
        envvar="MEMVIZ_CLASS",
        help="Let in whoever gives this code, such as two words on a projector. Each browser has a library of its own, "
        "which no other visitor sees.",
    ),
]
TeacherCode = Annotated[
    str,
    Option(
        "--teacher-code",
        metavar="CODE",
        envvar="MEMVIZ_TEACHER_CODE",
        help="Whoever enters this code at the door of the class is a teacher. Without it one is made, and printed.",
    ),
]
ClassFolder = Annotated[
    str,
    Option(
        "--class-folder",
        metavar="FOLDER",
        envvar="MEMVIZ_CLASS_FOLDER",
        help="Where the libraries of a class lie, with the key that signs its cookies.",
    ),
]
EnvironmentKeys = Annotated[
    bool | None,
    Option(
        "--allow-environment-keys/--no-allow-environment-keys",
        envvar="MEMVIZ_ALLOW_ENVIRONMENT_KEYS",
        help="Whether visitors who enter no API key use yours. [default: only at 127.0.0.1]",
    ),
]
PrivateBaseUrls = Annotated[
    bool | None,
    Option(
        "--allow-private-base-urls/--no-allow-private-base-urls",
        envvar="MEMVIZ_ALLOW_PRIVATE_BASE_URLS",
        help="Whether base URLs that visitors enter may lead to this machine and its network. "
        "[default: only at 127.0.0.1]",
    ),
]
EmbeddableBy = Annotated[
    list[str] | None,
    Option(
        "--embeddable-by",
        metavar="ORIGIN",
        envvar="MEMVIZ_EMBEDDABLE_BY",
        help="Pages of this origin, such as https://course.example.com, may show memviz in a frame; may be repeated.",
    ),
]
AsksLogin = Annotated[
    bool,
    Option(
        "--login",
        envvar="MEMVIZ_LOGIN",
        help="Let in whoever your provider of identities signs in (OpenID Connect, section [auth] of "
        ".streamlit/secrets.toml). Each has a library of their own.",
    ),
]
IdentityHeader = Annotated[
    str,
    Option(
        "--identity-header",
        metavar="NAME",
        envvar="MEMVIZ_IDENTITY_HEADER",
        help="Let in whom a proxy in front names in this header, such as X-Forwarded-Email, each with a library of "
        "their own. Needs --trusted-proxy.",
    ),
]
TrustedProxy = Annotated[
    list[str] | None,
    Option(
        "--trusted-proxy",
        metavar="ADDRESS",
        envvar="MEMVIZ_TRUSTED_PROXIES",
        help="The header is believed from this address or network (10.0.0.5, 10.0.0.0/24) alone; may be repeated.",
    ),
]
Teacher = Annotated[
    list[str] | None,
    Option(
        "--teacher",
        metavar="EMAIL",
        envvar="MEMVIZ_TEACHERS",
        help="Whoever signs in under this address is a teacher; may be repeated.",
    ),
]
JsonLog = Annotated[
    bool,
    Option(
        "--json-log",
        envvar="MEMVIZ_JSON_LOG",
        help="Log one line of JSON for each page, replay and error, without texts, keys or names.",
    ),
]
Metrics = Annotated[
    str,
    Option(
        "--metrics",
        metavar="[ADDRESS:]PORT",
        envvar="MEMVIZ_METRICS",
        help="Serve figures for Prometheus there: visitors, seconds of pages and replays, errors, memory. "
        "[default address: 127.0.0.1]",
    ),
]
Limit = Annotated[
    list[str] | None,
    Option(
        "--limit",
        metavar="NAME=NUMBER",
        envvar="MEMVIZ_LIMITS",
        help="The most for each visitor who has a library: conversations=200, megabytes=100, replays=12 (at once), "
        "usd=1 (dollars for models), and usd-in-all=20 for all visitors together; may be repeated.",
    ),
]
DaskAddress = Annotated[
    str,
    Option(
        "--dask",
        metavar="ADDRESS",
        envvar="MEMVIZ_DASK",
        help=f"Measure the sweeps of the page {page_titles.TUNE} on the Dask cluster of this scheduler, such as tcp://10.0.0.7:8786, "
        "and on this server as long as it is gone. The conversations are sent there.",
    ),
]
FleetFolderShown = Annotated[
    str,
    Option(
        "--fleet",
        metavar="FOLDER",
        envvar="MEMVIZ_FLEET",
        help=f"Show on the page {page_titles.FLEET} what memviz sweep --write wrote to this folder; its conversations "
        "can be opened.",
    ),
]


def open_dashboard(
    port: Port = DEFAULT_PORT,
    address: Address = "127.0.0.1",
    db: Database = None,
    password_file: PasswordFile = "",
    trust_everyone: TrustEveryone = False,
    allow_environment_keys: EnvironmentKeys = None,
    allow_private_base_urls: PrivateBaseUrls = None,
    embeddable_by: EmbeddableBy = None,
    fleet: FleetFolderShown = "",
    dask: DaskAddress = "",
    limit: Limit = None,
    class_code: ClassCode = "",
    class_folder: ClassFolder = DEFAULT_FOLDER,
    teacher_code: TeacherCode = "",
    login: AsksLogin = False,
    identity_header: IdentityHeader = "",
    trusted_proxy: TrustedProxy = None,
    teacher: Teacher = None,
    json_log: JsonLog = False,
    metrics: Metrics = "",
) -> None:
    """Start the dashboard; Ctrl-C ends it.

    Nobody but this machine can reach it unless another address is given.

    \b
    Examples:
      memviz ui
      memviz ui --port 8600 --db ~/chats.db
      memviz ui --address 0.0.0.0 --password-file ~/memviz-password
      memviz ui --address 0.0.0.0 --class "maple street"
      memviz ui --address 0.0.0.0 --login
      memviz ui --embeddable-by http://127.0.0.1:8000
      memviz ui --fleet swept
    """
    from memviz.storage.workspace import DATABASE_VARIABLE
    from memviz.tuning.cluster import DASK_VARIABLE
    from memviz.tuning.fleet.opening import FLEET_VARIABLE, open_fleet_sweep

    doors = {
        "--class": class_code,
        "--login": login,
        "--identity-header": identity_header,
    }
    access = ServerAccess(
        address,
        trust_everyone,
        password_file,
        allow_environment_keys,
        allow_private_base_urls,
        tuple(embeddable_by or ()),
        tuple(option for option, is_given in doors.items() if is_given),
    )
    _check(access)
    os.environ.update(access.variables())
    if class_code:
        place = os.environ.get(CLASS_ADDRESS) or f"http://{_name_of(address)}:{port}"
        door = ClassDoor(class_code, Path(class_folder), teacher_code, place)
        _open_class(door, db or "")
    if identity_header:
        _believe_proxies(identity_header, trusted_proxy or ())
    limits = " ".join(limit or ())
    visitor_limits({LIMITS: limits})
    metrics_place(metrics)  # refused here, before the server takes its time to start
    if fleet:
        open_fleet_sweep(fleet)  # refused here rather than on the page
    said = {
        LOGIN: "1" if login else "",
        TEACHERS: " ".join(teacher or ()),
        CLASS_FOLDER: class_folder,
        METRICS: metrics,
        JSON_LOG: "1" if json_log else "",
        FLEET_VARIABLE: fleet,
        DASK_VARIABLE: dask,
        LIMITS: limits,
        DATABASE_VARIABLE: db,
    }
    os.environ.update({name: value for name, value in said.items() if value})
    _start(port, address)


def _start(port: int, address: str) -> NoReturn:
    """Start Streamlit's server with the pages of memviz; it ends this process."""
    main = dashboard_folder() / "app.py"
    if not main.is_file():
        raise OutputError(
            f"The pages of the dashboard are not in {main.parent}. Install memviz again."
        )
    from streamlit.web.cli import main as streamlit

    # The configuration, theme included, is read from .streamlit beside app.py, wherever this is started from.
    arguments = ["run", str(main), "--server.port", str(port)]
    arguments += ["--server.address", address]
    if address in ("0.0.0.0", "::"):  # noqa: S104 - Streamlit would ask a server outside which address this machine has
        arguments += ["--browser.serverAddress", socket.gethostname()]
    with _quiet_end():
        sys.exit(streamlit(arguments, prog_name="memviz ui"))


def _check(access: ServerAccess) -> None:
    """Refuse what the server would refuse, before it takes its time to start."""
    access.check()
    if access.password_file:
        read_password(access.password_file)
        if readable_by_others(access.password_file):
            complain(
                f"Other accounts of this machine can read {access.password_file}: chmod 600 {access.password_file}"
            )


def _open_class(door: ClassDoor, database: str) -> None:
    """Say to the server that it serves a class, and to whoever starts it what its visitors have to type. A code of the
    teacher that was given is not written into what may be a log."""
    from memviz.storage.own_libraries import library_places

    is_made_here = not door.teacher_code
    if is_made_here:
        door = replace(door, teacher_code=make_teacher_code())
    door.check()
    # Places that cannot be used are refused here.
    library_places(database, door.folder).key()
    os.environ.update(door.variables())
    complain(f"The class opens {door.address} and enters the code: {door.code}")
    if sys.stderr.isatty():
        _draw_qr(door_link(door.address, door.code))
    if is_made_here or sys.stderr.isatty():
        complain(f"You enter the code of the teacher there: {door.teacher_code}")
        complain(f"Or open {door_link(door.address, door.teacher_code)}")


def _draw_qr(text: str) -> None:
    import segno

    segno.make(text, micro=False).terminal(sys.stderr, compact=True)


def _believe_proxies(header: str, networks: Sequence[str]) -> None:
    """Say to the server which proxies sign people in."""
    proxies = TrustedProxies(header, tuple(networks))
    proxies.check()
    os.environ.update(proxies.variables())


def _name_of(address: str) -> str:
    """Return the name under which others reach a server that listens on ``address``; of all addresses that of this
    machine in its network."""
    if address not in ("0.0.0.0", "::"):  # noqa: S104
        return f"[{address}]" if ":" in address else address
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            # No packet is sent: the system only chooses by which of its addresses it would go.
            way.connect((ELSEWHERE, 9))
        except OSError:  # no network
            return socket.gethostname()
        return str(way.getsockname()[0])


@contextmanager
def _quiet_end() -> Iterator[None]:
    """Ctrl-C is the usual end. The server closes at it and then raises the signal once more, for whoever started it."""
    endings = (signal.SIGINT, signal.SIGTERM)
    before = {
        ending: signal.signal(ending, lambda *_: sys.exit(0)) for ending in endings
    }
    try:
        yield
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)
