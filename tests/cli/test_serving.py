"""``memviz ui``: the dashboard answers on this machine alone, looks as configured, and ends when told to."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from memviz import sweep
from memviz.dashboard import dashboard_folder
from memviz.storage.workspace import Workspace
from tests.cli.serving import START_SECONDS, answer, free_port, started
from tests.cli.terminal import ROOT, memviz, refused
from tests.tables import for_each
from tests.transcripts.fleet.chats import chat, lines

STOP_SECONDS = 60


SWITCHES = (
    "MEMVIZ_DB", "MEMVIZ_TRUST_EVERYONE", "MEMVIZ_PASSWORD_FILE", "MEMVIZ_ALLOW_ENVIRONMENT_KEYS",
    "MEMVIZ_ALLOW_PRIVATE_BASE_URLS", "MEMVIZ_EMBEDDABLE_BY", "MEMVIZ_FLEET", "MEMVIZ_CLASS", "MEMVIZ_CLASS_FOLDER",
    "MEMVIZ_CLASS_ADDRESS",
    "MEMVIZ_TEACHER_CODE", "MEMVIZ_LOGIN", "MEMVIZ_IDENTITY_HEADER", "MEMVIZ_TRUSTED_PROXIES", "MEMVIZ_TEACHERS",
    "FORWARDED_ALLOW_IPS",
    "MEMVIZ_JSON_LOG", "MEMVIZ_METRICS", "MEMVIZ_LIMITS", "MEMVIZ_DASK",
)  # fmt: skip


@pytest.fixture
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the command tells the server by the environment is taken back."""
    for name in SWITCHES:
        monkeypatch.setenv(name, "")


@pytest.fixture
def told(_environment: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What Streamlit is told in place of being started."""
    arguments_seen: list[str] = []

    def streamlit(arguments: list[str], prog_name: str) -> int:
        arguments_seen.extend(arguments)
        return 7

    monkeypatch.setattr("streamlit.web.cli.main", streamlit)
    # The port of these tests may be taken by a dashboard of this machine.
    monkeypatch.setattr("memviz.cli.serving.check_address", lambda *_: None)
    return arguments_seen


@pytest.mark.usefixtures("_environment")
def test_a_port_that_is_taken_is_told_with_another_to_try() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        port = held.getsockname()[1]
        words = (f"Port {port} is not available", f"--port {port + 1}")
        refused("ui", "--port", port, code=1, words=words)


@pytest.mark.usefixtures("_environment")
def test_an_address_of_another_machine_is_told() -> None:
    words = ("No server can listen on 192.0.2.1", "--address")
    refused("ui", "--address", "192.0.2.1", "--trust-everyone", code=1, words=words)


def test_what_streamlit_is_told(told: list[str], tmp_path: Path) -> None:
    assert (
        memviz("ui", "--db", tmp_path / "mine.db", code=None).code == 7
    )  # its exit code is passed on
    assert told == [
        "run",
        str(ROOT / "app.py"),
        "--server.port",
        "8501",
        "--server.address",
        "127.0.0.1",
    ]
    assert os.environ["MEMVIZ_DB"] == str(tmp_path / "mine.db")


def test_the_switches_reach_the_server(told: list[str], tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("correct horse")
    password.chmod(0o600)
    shown = memviz(
        "ui",
        "--address",
        "0.0.0.0",
        "--password-file",
        password,
        "--allow-environment-keys",
        "--no-allow-private-base-urls",
        "--embeddable-by",
        "https://a.example.com",
        "--embeddable-by",
        "http://127.0.0.1:8000",
        "--json-log",
        "--metrics",
        "127.0.0.1:9464",
        "--limit",
        "replays=4",
        "--limit",
        "usd=2",
        "--dask",
        "tcp://10.0.0.7:8786",
        code=7,
    )
    assert shown.err == ""
    values = [os.environ[name] for name in SWITCHES[1:]]
    assert values == [
        "",
        str(password),
        "1",
        "0",
        "https://a.example.com http://127.0.0.1:8000",
        "",
        "",
        "memviz-class",
        *[""] * 7,
        "1",
        "127.0.0.1:9464",
        "replays=4 usd=2",
        "tcp://10.0.0.7:8786",
    ]
    assert told[:6] == [
        "run",
        str(ROOT / "app.py"),
        "--server.port",
        "8501",
        "--server.address",
        "0.0.0.0",
    ]


def test_a_place_that_figures_cannot_have_is_refused(told: list[str]) -> None:
    words = ("'everywhere' is no place for figures",)
    refused("ui", "--metrics", "everywhere", code=1, words=words)
    assert told == []


def test_the_folder_of_a_fleet_reaches_the_server(
    told: list[str], tmp_path: Path
) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines([chat(1)]))
    grid = {"window": {"window_size": [2]}}
    sweep(tmp_path / "x.jsonl", grid, write=tmp_path / "swept")
    assert memviz("ui", "--fleet", tmp_path / "swept", code=None).code == 7
    assert os.environ["MEMVIZ_FLEET"] == str(tmp_path / "swept")


def test_a_folder_without_a_sweep_is_refused_before_the_server_starts(
    told: list[str], tmp_path: Path
) -> None:
    words = ("It holds no sweep", "memviz sweep --write")
    refused("ui", "--fleet", tmp_path, code=1, words=words)
    assert told == []


def test_a_class_is_told_to_the_server_and_to_who_starts_it(
    told: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "class"
    options = ("--class", "maple street", "--class-folder", folder, "--port", 8600)
    shown = memviz("ui", *options, "--address", "192.0.2.7", code=None)
    assert "opens http://192.0.2.7:8600 and enters the code: maple street" in shown.err
    assert (folder / "key").is_file()
    assert told[-2:] == ["--server.address", "192.0.2.7"]
    assert os.environ["MEMVIZ_CLASS"] == "maple street"
    assert os.environ["MEMVIZ_CLASS_FOLDER"] == str(folder)
    made = os.environ["MEMVIZ_TEACHER_CODE"]
    assert len(made) >= 16
    assert f"the code of the teacher there: {made}" in shown.err
    assert f"open http://192.0.2.7:8600/door#{made}" in shown.err
    assert os.environ["MEMVIZ_CLASS_ADDRESS"] == "http://192.0.2.7:8600"
    chosen = ("--teacher-code", "oak and linden")
    shown = memviz("ui", *options, *chosen, "--address", "0.0.0.0", code=None)
    assert "http://0.0.0.0" not in shown.err
    assert "oak and linden" not in shown.err, "it was given, and this may be a log"


def test_a_class_is_told_the_address_that_it_is_given(
    told: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMVIZ_CLASS_ADDRESS", "https://maple.example.com")
    folder = ("--class-folder", tmp_path / "class")
    code = ("--teacher-code", "a code of the teacher")
    shown = memviz("ui", "--class", "maple street", *code, *folder, code=7)
    assert "The class opens https://maple.example.com and enters" in shown.err
    assert "a code of the teacher" not in shown.err, "given, so it need not be said"
    assert os.environ["MEMVIZ_CLASS_ADDRESS"] == "https://maple.example.com"
    assert told


def test_limits_and_a_cluster_are_told_to_the_server(told: list[str]) -> None:
    limits = ("--limit", "replays=4", "--limit", "usd=0.5")
    memviz("ui", *limits, "--dask", "tcp://127.0.0.1:8786", code=7)
    assert os.environ["MEMVIZ_LIMITS"] == "replays=4 usd=0.5"
    assert os.environ["MEMVIZ_DASK"] == "tcp://127.0.0.1:8786"
    assert told
    told.clear()
    refused("ui", "--limit", "replays=0", code=1, words=("'replays=0' is no limit",))
    assert not told


def test_a_cluster_without_dask_is_refused_before_the_start(
    told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    words = ("Dask is not installed",)
    refused("ui", "--dask", "tcp://127.0.0.1:8786", code=1, words=words)
    assert not told


def test_whom_others_sign_in_is_told_to_the_server(told: list[str]) -> None:
    proxy = ("--identity-header", "X-User", "--trusted-proxy", "10.0.0.5")
    teachers = ("--teacher", "ana@example.com", "--teacher", "bo@example.com")
    folder = ("--class-folder", "libraries")
    assert memviz("ui", *proxy, *teachers, *folder, code=7).err == ""
    assert os.environ["MEMVIZ_IDENTITY_HEADER"] == "X-User"
    assert os.environ["MEMVIZ_TRUSTED_PROXIES"] == "10.0.0.5"
    assert os.environ["MEMVIZ_TEACHERS"] == "ana@example.com bo@example.com"
    assert os.environ["MEMVIZ_CLASS_FOLDER"] == "libraries"
    assert os.environ["FORWARDED_ALLOW_IPS"] == ""
    assert told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--identity-header", "X-User"), "Anybody could send the header X-User"),
        (("--login", "--trust-everyone"), "--login and --trust-everyone are two doors"),
        (("--login", "--class", "maple street"), "are two doors"),
    ],
)
def test_a_door_that_does_not_hold_is_refused_before_the_start(
    told: list[str], options: tuple[str, ...], words: str
) -> None:
    refused("ui", "--address", "0.0.0.0", *options, code=1, words=(words,))
    assert told == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--class", "maple"), ("6 to 60",)),
        (("--class", "maple street", "--trust-everyone"), ("two doors",)),
        (("--class", "maple street", "--teacher-code", "me"), ("10 to 60",)),
        (("--class", "maple street", "--class-folder", __file__), ("folder of the",)),
        (
            ("--class", "maple street", "--db", "postgresql://x:secret@127.0.0.1/y"),
            ("cannot be reached",),
        ),
    ],
)
def test_a_class_that_cannot_be_served_is_refused_before_the_start(
    told: list[str], options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    refused("ui", *options, code=1, words=words)
    assert not told


def test_what_may_embed_it_has_to_be_an_origin(told: list[str]) -> None:
    refused(
        "ui",
        "--embeddable-by",
        "https://a.example.com/course",
        code=1,
        words=("is no origin", "https://course"),
    )
    assert told == []


@pytest.mark.parametrize(
    "address", ["0.0.0.0", "::", "192.168.1.5", "chats.example.com"]
)
def test_an_address_that_others_reach_needs_a_password_or_trust(
    told: list[str], address: str
) -> None:
    refused(
        "ui",
        "--address",
        address,
        code=1,
        words=("--password-file FILE", "--trust-everyone"),
    )
    assert told == []
    assert memviz("ui", "--address", address, "--trust-everyone", code=None).code == 7


def test_a_password_that_is_none_is_told_before_the_start(
    told: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "password"
    refused("ui", "--password-file", file, code=1, words=(str(file), "cannot be read"))
    file.write_text("short")
    refused("ui", "--password-file", file, code=1, words=("shorter than 8 characters",))
    assert told == []


@pytest.mark.skipif(os.name != "posix", reason="no such permissions here")
def test_a_password_that_others_can_read_is_told(
    told: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "password"
    file.write_text("correct horse")
    file.chmod(0o644)
    assert f"chmod 600 {file}" in memviz("ui", "--password-file", file, code=7).err


def handshake(port: int, **headers: str) -> int:
    """The status with which the server answers the handshake of a page: 101 if it lets it in."""
    named = {"Host": f"127.0.0.1:{port}", **headers}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in named.items()]
    request = [
        "GET /_stcore/stream HTTP/1.1",
        *lines,
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: streamlit",
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(("\r\n".join(request) + "\r\n\r\n").encode())
        return int(connection.recv(64).split()[1])


def status(
    port: int, path: str, method: str = "GET", data: bytes | None = None, **headers: str
) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", data, named, method=method
    )
    try:
        with urllib.request.urlopen(asked, timeout=60) as reply:  # noqa: S310 - our own
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="no SIGINT for one process here")
def test_it_starts_from_anywhere_says_where_it_is_talks_to_its_own_pages_alone_and_ends_with_ctrl_c(
    tmp_path: Path, library: Workspace
) -> None:
    with started(tmp_path) as (server, port):
        assert '<div id="root">' in answer(port, "/")
        own = f"http://127.0.0.1:{port}"
        others = (
            "http://127.0.0.1:9999",
            "http://localhost:9999",
            f"http://localhost:{port}",
            "null",
        )
        assert handshake(port, Origin=own) == handshake(port) == 101
        assert [handshake(port, Origin=other) for other in others] == [403] * 4
        assert (
            handshake(
                port,
                Origin=f"http://rebound.example.com:{port}",
                Host=f"rebound.example.com:{port}",
            )
            == 403
        )
        for path, method in (
            ("/", "GET"),
            ("/_stcore/health", "GET"),
            ("/_stcore/upload_file/a/b", "PUT"),
        ):
            assert status(port, path, method, Origin="http://127.0.0.1:9999") == 403
        deadline = time.monotonic() + START_SECONDS
        while library.server_address != own:
            assert time.monotonic() < deadline, "the library is not told its address"
            time.sleep(0.05)
        server.send_signal(signal.SIGINT)
        assert server.wait(STOP_SECONDS) == 0
        assert server.stdout is not None
        assert b"Traceback" not in server.stdout.read()


@pytest.mark.slow
def test_a_server_with_a_password_shows_nothing_before(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("correct horse\n")
    file.chmod(0o600)
    with started(tmp_path, "--password-file", str(file)) as (_, port):
        assert [
            status(port, path) for path in ("/", "/chat?chat=1", "/_stcore/host-config")
        ] == [401] * 3
        assert handshake(port, Origin=f"http://127.0.0.1:{port}") == 403
        jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with jar.open(
            f"http://127.0.0.1:{port}/chat?chat=1",
            b"password=correct+horse",
            timeout=60,
        ) as reply:
            assert '<div id="root">' in reply.read().decode()
            assert reply.url.endswith("/chat?chat=1")


@pytest.mark.slow
def test_streamlit_alone_does_not_open_it_to_others_either(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(ROOT / "app.py"),
        "--server.port",
        str(free_port()),
    ]
    done = subprocess.run(
        [
            *command,
            "--server.address",
            "0.0.0.0",
            "--browser.serverAddress",
            "localhost",
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )
    assert done.returncode == 1
    assert "MEMVIZ_PASSWORD_FILE" in done.stderr
    assert "Traceback" not in done.stderr


@for_each("port", ["0", "65536", "many"])
def test_a_port_that_is_none(port: str) -> None:
    assert "--port" in memviz("ui", "--port", port, code=2).err


def test_the_configuration_lies_where_streamlit_looks_for_it() -> None:
    folder = dashboard_folder()
    assert (folder / "app.py").is_file()
    assert "[theme.light]" in (folder / ".streamlit" / "config.toml").read_text(
        encoding="utf-8"
    )
    assert (folder / "pages" / "compare.py").is_file()
