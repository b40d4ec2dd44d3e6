"""Signing in: with a provider of identities, or at a proxy in front. Each visitor has a library of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import httpx
import pytest
from oidc_provider_mock import User, run_server_in_thread
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.browser.dashboard import Dashboard
from tests.browser.diary import TITLE, import_diary

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

HEADER = "X-Forwarded-Email"
pytestmark = [pytest.mark.slow, pytest.mark.provokes_console_errors]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Dashboard]:
    """The server; a test starts it when its door stands in the environment."""
    server = Dashboard(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def with_provider(
    served: Dashboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Dashboard]:
    """The server, whose visitors sign in with a provider of identities of this machine."""
    users = [
        User(sub=name, claims={"email": f"{name}@example.com", "name": name.title()})
        for name in ("ana", "bo")
    ]
    with run_server_in_thread(user_claims=users) as provider:
        secrets = tmp_path / "secrets.toml"
        secrets.write_text(
            "[auth]\n"
            f'redirect_uri = "{served.url}/oauth2callback"\n'
            f'cookie_secret = "{"c" * 32}"\n'
            'client_id = "memviz"\n'
            'client_secret = "secret of the client"\n'
            f'server_metadata_url = "http://127.0.0.1:{provider.server_port}/.well-known/openid-configuration"\n'
        )
        monkeypatch.setenv("STREAMLIT_SECRETS_FILES", str(secrets))
        monkeypatch.setenv("MEMVIZ_LOGIN", "1")
        monkeypatch.setenv("MEMVIZ_CLASS_FOLDER", str(tmp_path / "libraries"))
        served.start()
        yield served


def sign_in(page: Page, address: str, name: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_url(re.compile(re.escape(address.rpartition("/")[0]) + "/(?!oauth2)"))


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[[], Page]]:
    """Make a page in a browser of its own, which reaches this machine alone: the provider's page would fetch its style
    from elsewhere."""
    contexts = []

    def make() -> Page:
        context = browser.new_context()
        contexts.append(context)
        elsewhere = re.compile(r"https?://(?!127\.0\.0\.1[:/])")
        context.route(elsewhere, lambda route: route.abort())
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


def test_whoever_signs_in_has_a_library_that_no_other_sees(
    with_provider: Dashboard,
    tmp_path: Path,
    new_page: Callable[[], Page],
) -> None:
    library = with_provider.url + "/library"
    of_ana = new_page()
    of_ana.goto(library)
    of_ana.get_by_role("button", name="Sign in").wait_for()
    assert of_ana.get_by_text("Back up").count() == 0
    sign_in(of_ana, library, "ana")
    of_ana.goto(library)
    import_diary(of_ana, tmp_path)

    of_bo = new_page()
    sign_in(of_bo, library, "bo")
    of_bo.goto(library)
    of_bo.get_by_role("button", name="Back up").wait_for()
    assert of_bo.get_by_text(TITLE).count() == 0

    again = new_page()
    sign_in(again, library, "ana")
    again.goto(library)
    again.get_by_text(TITLE).first.wait_for()
    again.get_by_role("button", name="Sign out").click()
    again.wait_for_url(
        "**/oauth2/end_session*"
    )  # the provider asks whether to sign out there too
    again.goto(library)
    again.get_by_role("button", name="Sign in").wait_for()
    names = [path.name for path in (tmp_path / "libraries").rglob("*")]
    assert not any("ana" in name for name in names), names


@pytest.fixture
def behind_proxy(
    served: Dashboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Dashboard]:
    """Start the server for a proxy at an address."""

    def start(proxy: str) -> Dashboard:
        monkeypatch.setenv("MEMVIZ_IDENTITY_HEADER", HEADER)
        monkeypatch.setenv("MEMVIZ_TRUSTED_PROXIES", proxy)
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", "")
        monkeypatch.setenv("MEMVIZ_CLASS_FOLDER", str(tmp_path / "libraries"))
        served.start()
        return served

    return start


def test_whom_a_proxy_names_has_a_library_that_no_other_sees(
    behind_proxy: Callable[[str], Dashboard],
    tmp_path: Path,
    open_context: Callable[..., BrowserContext],
) -> None:
    library = behind_proxy("127.0.0.1").url + "/library"
    ana = open_context(extra_http_headers={HEADER: "ana@example.com"})
    of_ana = ana.new_page()
    of_ana.goto(library)
    import_diary(of_ana, tmp_path)

    of_bo = open_context(extra_http_headers={HEADER: "bo@example.com"}).new_page()
    of_bo.goto(library)
    of_bo.get_by_role("button", name="Back up").wait_for()
    assert of_bo.get_by_text(TITLE).count() == 0

    again = open_context(extra_http_headers={HEADER: "Ana@Example.com"}).new_page()
    again.goto(library)
    again.get_by_text(TITLE).first.wait_for()


ANA = (HEADER, "ana@example.com")


@pytest.mark.parametrize(
    ("proxy", "headers"),
    [
        ("127.0.0.1", []),
        ("127.0.0.1", [(HEADER, "")]),
        ("127.0.0.1", [ANA, ANA]),
        ("127.0.0.1", [(HEADER, "a" * 321)]),
        ("10.0.0.5", [ANA]),
        ("10.0.0.5", [ANA, ("X-Forwarded-For", "10.0.0.5")]),
        ("10.0.0.0/8", [ANA, ("X-Real-IP", "10.0.0.5"), ("Forwarded", "for=10.0.0.5")]),
    ],
)
def test_nothing_is_sent_to_whom_no_proxy_names(
    behind_proxy: Callable[[str], Dashboard],
    proxy: str,
    headers: list[tuple[str, str]],
) -> None:
    server = behind_proxy(proxy)
    with httpx.Client(base_url=server.url, headers=headers) as client:
        for address in ("/", "/library", "/static/index.html", "/_stcore/host-config"):
            assert client.get(address).status_code == 403, address
        assert client.get("/_stcore/health").text == "ok"
    stream = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    with pytest.raises(InvalidStatus, match="403"):
        connect(stream, additional_headers=headers, subprotocols=["streamlit"])
