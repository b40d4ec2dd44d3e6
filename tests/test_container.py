"""The container of memviz: its Dockerfile is well made, copies what a wheel needs, and runs where it can be built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.cli.serving import answer, free_port
from tests.cli.terminal import ROOT

FOLDER = ROOT / "configs" / "container"
DOCKERFILE = FOLDER / "Dockerfile"
BUILDER = os.environ.get("MEMVIZ_TEST_BUILDER", "")
"""A program that builds and runs images: docker or podman."""
START_SECONDS = 120


def copied() -> list[str]:
    """Return the files and folders that the image takes from the repository."""
    lines = re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE.read_text(), re.MULTILINE)
    return [name for line in lines for name in line.split()[:-1]]


def test_a_linter_of_dockerfiles_finds_nothing() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint has no wheel for this kind of machine")
    checked = subprocess.run(
        [hadolint, DOCKERFILE], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stdout) == (0, "")


def test_what_is_copied_is_not_kept_from_the_builder() -> None:
    lines = (FOLDER / "Dockerfile.dockerignore").read_text().splitlines()
    assert lines[0] == "*"
    let_through = [line.removeprefix("!") for line in lines if line.startswith("!")]
    for name in copied():
        assert any(let == name or let.startswith(f"{name}/") for let in let_through), (
            name
        )


@pytest.mark.slow
def test_what_is_copied_makes_a_whole_wheel(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in copied():
        place = source / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place)
        else:
            shutil.copy(ROOT / name, place)
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=source,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "memviz/_dashboard/app.py" in names
    pages = {f"memviz/_dashboard/pages/{path.name}" for path in ROOT.glob("pages/*.py")}
    assert pages
    assert pages <= names


def test_nobody_is_let_in_unasked() -> None:
    services = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
    settings = services["memviz"]["environment"]
    assert settings["MEMVIZ_PASSWORD_FILE"] == "/run/secrets/password"
    assert "ports" not in services["memviz"], "only Caddy is reached from outside"
    assert "ports" not in services["database"]
    assert services["memviz"]["read_only"] is True


@pytest.fixture
def image(tmp_path: Path) -> Iterator[str]:
    """The image, as the first lines of the Dockerfile say to build it."""
    name = f"memviz-test-{os.getpid()}"
    command = [BUILDER, "build", "--file", "configs/container/Dockerfile"]
    options = os.environ.get("MEMVIZ_TEST_BUILDER_OPTIONS", "").split()
    subprocess.run([*command, *options, "--tag", name, "."], cwd=ROOT, check=True)
    yield name
    subprocess.run([BUILDER, "rmi", "--force", name], check=True)


@pytest.mark.slow
@pytest.mark.skipif(not BUILDER, reason="MEMVIZ_TEST_BUILDER names no builder")
def test_the_image_runs_without_root_on_a_file_system_that_it_cannot_change(
    image: str,
) -> None:
    port = free_port()
    name = f"{image}-runs"
    options = [
        "--read-only",
        "--tmpfs",
        "/tmp",  # noqa: S108 - of the container
        "--cap-drop",
        "ALL",
    ]
    place = ["--publish", f"127.0.0.1:{port}:8501", "--name", name, "--rm"]
    door = ["--address", "0.0.0.0", "--class", "maple street"]
    runs = subprocess.Popen([BUILDER, "run", *options, *place, image, *door])
    try:
        deadline = time.monotonic() + START_SECONDS
        while answer(port, "/_stcore/health") != "ok":
            assert runs.poll() is None, "the container ended"
            assert time.monotonic() < deadline, "no answer"
            time.sleep(0.5)
        user = subprocess.run(
            [BUILDER, "exec", name, "id", "-u"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert user.stdout.strip() == "10001"
    finally:
        subprocess.run([BUILDER, "stop", name], check=False)
        runs.wait(60)
