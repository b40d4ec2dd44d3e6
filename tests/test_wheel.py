"""The wheel has everything that memviz needs away from its repository, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.cli.serving import answer, started
from tests.tables import for_each

ROOT = Path(__file__).resolve().parent.parent
DASHBOARD = (
    "app.py",
    "navigation.py",
    ".streamlit/config.toml",
    *(f"pages/{page.name}" for page in (ROOT / "pages").glob("*.py")),
)


def built(kind: str, folder: Path) -> Path:
    """A wheel as pip would have it built."""
    code = f"from hatchling import build; print(build.build_{kind}({str(folder)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    ZipFile(wheel).extractall(folder)
    return folder


def package_files() -> set[str]:
    found = (
        path.relative_to(ROOT)
        for path in (ROOT / "memviz").rglob("*")
        if path.is_file()
    )
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


def test_it_has_every_file_of_the_package_and_the_dashboard(wheel: Path) -> None:
    names = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {
        "memviz/py.typed",
        "memviz/dashboard/ui/shell/style.css",
        "memviz/transcripts/bundled/trip.json",
    } < names
    dashboard = {f"memviz/_dashboard/{name}" for name in DASHBOARD}
    assert names == package_files() | dashboard | {"memviz_pytest.py"}


@for_each("name", DASHBOARD)
def test_the_dashboard_is_the_one_of_the_repository(unpacked: Path, name: str) -> None:
    assert (unpacked / "memviz" / "_dashboard" / name).read_bytes() == (
        ROOT / name
    ).read_bytes()


def test_it_brings_the_command_and_the_plugin(wheel: Path) -> None:
    (points,) = [
        name for name in ZipFile(wheel).namelist() if name.endswith("entry_points.txt")
    ]
    text = ZipFile(wheel).read(points).decode()
    assert "memviz = memviz.cli:app" in text
    assert "[pytest11]\nmemviz = memviz_pytest\n" in text


@pytest.mark.slow
def test_its_pages_are_found_and_served(
    unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import memviz.dashboard as d, memviz.dashboard.ui.shell.frame as s; print(d.__file__, s.PAGES, sep='\\n')"
    environment = os.environ | {"PYTHONPATH": str(unpacked)}
    said = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert said == [
        str(unpacked / "memviz" / "dashboard" / "__init__.py"),
        str(unpacked / "memviz" / "_dashboard" / "pages"),
    ]
    monkeypatch.setenv("MEMVIZ_DB", str(tmp_path / "library.db"))
    with started(tmp_path, code_in=unpacked) as (_, port):
        assert '<div id="root">' in answer(port, "/")


def test_an_editable_install_has_no_copies(tmp_path: Path) -> None:
    names = ZipFile(built("editable", tmp_path)).namelist()
    assert [name for name in names if ".dist-info/" not in name] == [
        "_editable_impl_memviz.pth"
    ]
