"""``memviz ui``: the dashboard in the browser."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from errno import EADDRINUSE
from pathlib import Path
from typing import NoReturn

from memviz.cli.errors import OutputError
from memviz.cli.option_groups import take_groups
from memviz.cli.options import Database
from memviz.cli.output import complain
from memviz.cli.serving_options import (
    DEFAULT_PORT,
    AccessOptions,
    Address,
    ClassOptions,
    IdentityOptions,
    MonitoringOptions,
    Port,
    WorkOptions,
)
from memviz.dashboard import dashboard_folder
from memviz.models.access import (
    JSON_LOG,
    LOGIN,
    METRICS,
    ServerAccess,
    is_readable_by_others,
    read_metrics_address,
    read_password,
)
from memviz.models.class_door import (
    CLASS_ADDRESS,
    CLASS_FOLDER,
    ClassDoor,
    door_link,
    make_teacher_code,
)
from memviz.models.environment import make_variables
from memviz.models.identities import TEACHERS, TrustedProxies
from memviz.models.visitor_limits import LIMITS, visitor_limits

ELSEWHERE = "192.0.2.1"
"""An address of no machine (RFC 5737), by which the system chooses the way to the network."""


@take_groups
def open_dashboard(
    *,
    port: Port = DEFAULT_PORT,
    address: Address = "127.0.0.1",
    db: Database = None,
    options: AccessOptions,
    work: WorkOptions,
    class_: ClassOptions,
    identities: IdentityOptions,
    monitoring: MonitoringOptions,
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
    access = _find_access(address, options, class_, identities)
    # What the server would refuse is refused here, before it takes its time to start.
    _check(access)
    os.environ.update(access.variables())
    if class_.code:
        place = os.environ.get(CLASS_ADDRESS) or f"http://{_name_of(address)}:{port}"
        door = ClassDoor(class_.code, Path(class_.folder), class_.teacher_code, place)
        _open_class(door, db or "")
    if identities.header:
        _trust_proxies(identities.header, identities.trusted_proxies or ())
    _check_work(work)
    read_metrics_address(monitoring.metrics)
    _tell_server(class_, identities, monitoring, work, db)
    _start(port, address)


def _check_work(work: WorkOptions) -> None:
    """Raise :class:`memviz.core.errors.MemvizError` for work that this server could not do."""
    from memviz.tuning.cluster import check_dask
    from memviz.tuning.fleet.opening import open_fleet_sweep

    visitor_limits(make_variables({LIMITS: work.limits}))
    if work.fleet:
        open_fleet_sweep(work.fleet)
    if work.dask:
        check_dask()


def _find_access(
    address: str,
    options: AccessOptions,
    class_: ClassOptions,
    identities: IdentityOptions,
) -> ServerAccess:
    """Return who may reach the server, by which doors, and what visitors may have it do."""
    doors = {
        "--class": class_.code,
        "--login": identities.login,
        "--identity-header": identities.header,
    }
    open_doors = tuple(option for option, is_given in doors.items() if is_given)
    return ServerAccess(
        address,
        options.trust_everyone,
        options.password_file,
        options.allow_environment_keys,
        options.allow_private_base_urls,
        tuple(options.embeddable_by or ()),
        open_doors,
    )


def _tell_server(
    class_: ClassOptions,
    identities: IdentityOptions,
    monitoring: MonitoringOptions,
    work: WorkOptions,
    db: str | None,
) -> None:
    """Set the variables of the environment by which the pages know the options: Streamlit passes none on to them."""
    from memviz.storage.workspace import DATABASE_VARIABLE
    from memviz.tuning.cluster import DASK_VARIABLE
    from memviz.tuning.fleet.opening import FLEET_VARIABLE

    settings = {
        LOGIN: identities.login or None,
        TEACHERS: identities.teachers,
        CLASS_FOLDER: class_.folder,
        METRICS: monitoring.metrics,
        JSON_LOG: monitoring.json_log or None,
        FLEET_VARIABLE: work.fleet,
        DASK_VARIABLE: work.dask,
        LIMITS: work.limits,
        DATABASE_VARIABLE: db,
    }
    os.environ.update(make_variables(settings))


def _start(port: int, address: str) -> NoReturn:
    """Start Streamlit's server with the pages of memviz; it ends this process."""
    main = dashboard_folder() / "app.py"
    if not main.is_file():
        raise OutputError(
            f"The pages of the dashboard are not in {main.parent}. Install memviz again."
        )
    check_address(address, port)
    from streamlit.web.cli import main as streamlit

    # The configuration, theme included, is read from .streamlit beside app.py, wherever this is started from.
    arguments = ["run", str(main), "--server.port", str(port)]
    arguments += ["--server.address", address]
    if address in ("0.0.0.0", "::"):  # noqa: S104 - Streamlit would ask a server outside which address this machine has
        arguments += ["--browser.serverAddress", socket.gethostname()]
    with _end_quietly():
        sys.exit(streamlit(arguments, prog_name="memviz ui"))


def check_address(address: str, port: int) -> None:
    """Raise :class:`OutputError` where no server can listen: Streamlit would not say what to do then."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family).close()
    except OSError as error:
        if error.errno == EADDRINUSE:
            raise OutputError(
                f"Port {port} is not available: another program listens on it. Give another one, such as "
                f"--port {port + 1}, or end that program."
            ) from None
        # Python adds "(while attempting to bind on address ...)".
        reason = str(error.strerror).partition(" (")[0]
        raise OutputError(
            f"No server can listen on {address}, port {port}: {reason}. Give another --address or --port."
        ) from None


def _check(access: ServerAccess) -> None:
    """Raise for options that the server would refuse, and warn of a password that others can read."""
    access.check()
    if access.password_file:
        read_password(access.password_file)
        if is_readable_by_others(access.password_file):
            complain(
                f"Other accounts of this machine can read {access.password_file}: chmod 600 {access.password_file}"
            )


def _open_class(door: ClassDoor, database: str) -> None:
    """Tell the server that it serves a class, and whoever starts it what visitors have to type.

    A code of the teacher that was given is shown on terminals alone: stderr may be a log.
    """
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


def _trust_proxies(header: str, networks: Sequence[str]) -> None:
    """Tell the server which proxies sign people in."""
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
def _end_quietly() -> Iterator[None]:
    """A block that Ctrl-C and SIGTERM end with exit code 0.

    The server closes at the first signal, and then raises it once more for whoever started it.
    """
    endings = (signal.SIGINT, signal.SIGTERM)
    before = {
        ending: signal.signal(ending, lambda *_: sys.exit(0)) for ending in endings
    }
    try:
        yield
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)
