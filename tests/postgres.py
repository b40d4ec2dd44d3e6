"""A server of PostgreSQL of the tests' own: one a session, in a temporary folder, at this machine's own address."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from memviz.storage.store import Store

USER = "memviz"
PASSWORD = "a@secret:word"
"""It has to be written into an address as a%40secret%3Aword."""
DEBIAN = Path("/usr/lib/postgresql")
START_SECONDS = 60
EMPTIED = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
    DELETE FROM conversation;
    DELETE FROM kept
"""
"""Ends whoever is still connected to a library, and leaves nothing in it. To truncate its tables would write each of
them and of their indexes anew."""


def programs() -> Path | None:
    """The folder of initdb and postgres, of the newest version; ``None`` where there is none."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).parent] if on_path else []
    folders += sorted(DEBIAN.glob("*/bin"), key=lambda bin: -float(bin.parent.name))
    return next((bin for bin in folders if (bin / "postgres").exists()), None)


def missing() -> str:
    """What a server needs and is not here; empty where all is."""
    if programs() is None:
        return "PostgreSQL is not installed: apt-get install postgresql"
    try:
        import psycopg  # noqa: F401
    except ModuleNotFoundError:
        return "psycopg is not installed: pip install -e '.[dev]'"
    return ""


class PostgresCluster:
    """A running server. Nobody is asked for a password but within :meth:`passwords_asked`."""

    def __init__(self, folder: Path) -> None:
        self._bin = programs()
        self._data = folder / "data"
        self._numbers = count(1)
        # PostgreSQL refuses to be run by root.
        self._owner: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._owner = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(folder, "postgres", "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        options = ["--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C", "-U", USER]
        self._run("initdb", "-D", str(self._data), *options)
        self._free: list[str] = []
        self._made: set[str] = set()
        self.start()

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [f"{self._bin}/{program}", *arguments],
            capture_output=True,
            text=True,
            cwd="/",
            **self._owner,
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self._data.parent,
            "fsync": "off",
            "full_page_writes": "off",
            "autovacuum": "off",
            "shared_buffers": "16MB",
            "log_min_messages": "panic",
        }
        arguments = [f"-c{name}={value}" for name, value in settings.items()]
        self._server = subprocess.Popen(
            [f"{self._bin}/postgres", "-D", str(self._data), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            **self._owner,
        )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._server.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.02)

    def _answers(self) -> bool:
        import psycopg

        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """End the server at once, as the lack of memory does, with all that it has in its hands."""
        self._server.kill()
        self._server.wait()
        # Its children notice, and let go of the memory that they share.
        postmaster = self._data / "postmaster.pid"
        postmaster.unlink(missing_ok=True)

    def stop(self) -> None:
        """End the server, which writes nothing down any more: its folder goes."""
        self._server.send_signal(signal.SIGQUIT)
        self._server.wait(60)

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Do one statement, outside of a transaction."""
        import psycopg

        with psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user=USER,
            password=PASSWORD,
            dbname=database,
            autocommit=True,
        ) as connection:
            connection.execute(statement)

    @contextmanager
    def library(self) -> Iterator[str]:
        """The address of an empty library for as long as the block lasts; another block gets it afterwards."""
        name = self._free.pop() if self._free else self.new_database()
        address = self.address(name)
        if name not in self._made:
            Store(address).close()
            self._made.add(name)
        yield address
        self.execute(EMPTIED, name)
        self._free.append(name)

    def new_database(self) -> str:
        """The name of a new database, in which there is nothing."""
        name = f"library_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return name

    @contextmanager
    def passwords_asked(self) -> Iterator[None]:
        """Let nobody in without :data:`PASSWORD` for as long as the block lasts."""
        self.execute(f"ALTER USER {USER} PASSWORD '{PASSWORD}'")
        rules = self._data / "pg_hba.conf"
        trusting = rules.read_text()
        rules.write_text(trusting.replace("trust", "scram-sha-256"))
        self.execute("SELECT pg_reload_conf()")
        yield
        rules.write_text(trusting)
        self.execute("SELECT pg_reload_conf()")

    def address(self, database: str) -> str:
        """The address of a database of this server."""
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/{database}"


@contextmanager
def running_postgres() -> Iterator[PostgresCluster]:
    """A server for as long as the block lasts. Skips the test where there is no PostgreSQL, unless it is required."""
    problem = missing()
    if problem:
        if os.environ.get("MEMVIZ_REQUIRE_POSTGRES"):
            pytest.fail(problem)
        pytest.skip(problem)
    folder = Path(mkdtemp(prefix="memviz-postgres-"))
    try:
        cluster = PostgresCluster(folder)
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
