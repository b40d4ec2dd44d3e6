"""Signing in: with a provider of identities, or at a proxy in front. Each visitor has a library of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
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

    from playwright.sync_api import Browser, Page

HEADER = "X-Forwarded-Email"
PROXY, STRANGER = "127.0.0.1", "127.0.0.2"
"""Addresses of this machine: the one that a header is believed from, and another."""
pytestmark = [pytest.mark.slow, pytest.mark.provokes_console_errors]


@pytest.fixture
def with_provider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Dashboard]:
    """A server whose visitors sign in with a provider of identities of this machine."""
    users = [
        User(sub=name, claims={"email": f"{name}@example.com", "name": name.title()})
        for name in ("ana", "bo")
    ]
    server = Dashboard(tmp_path)
    with run_server_in_thread(user_claims=users) as provider:
        secrets = tmp_path / "secrets.toml"
        secrets.write_text(
            "[auth]\n"
            f'redirect_uri = "{server.url}/oauth2callback"\n'
            f'cookie_secret = "{"c" * 32}"\n'
            'client_id = "memviz"\n'
            'client_secret = "secret of the client"\n'
            f'server_metadata_url = "http://127.0.0.1:{provider.server_port}/.well-known/openid-configuration"\n'
        )
        monkeypatch.setenv("STREAMLIT_SECRETS_FILES", str(secrets))
        monkeypatch.setenv("MEMVIZ_LOGIN", "1")
        monkeypatch.setenv("MEMVIZ_CLASS_FOLDER", str(tmp_path / "libraries"))
        server.start()
        yield server
        server.stop()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Page]:
    """A page in a browser of its own, which reaches this machine alone: the provider's page would fetch its style from
    elsewhere."""
    context = browser.new_context(reduced_motion="reduce")
    elsewhere = re.compile(r"https?://(?!127\.0\.0\.1[:/])")
    context.route(elsewhere, lambda route: route.abort())
    yield context.new_page()
    context.close()


def sign_in(page: Page, name: str) -> None:
    """Sign in on the page that asks for it, and go on to the Library."""
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name=name, exact=True).click()
    page.get_by_role("link", name="Library", exact=True).click()
    page.get_by_role("button", name="Back up").wait_for()


def sign_out(page: Page, address: str) -> None:
    """Sign out, and open an address whose page asks to sign in again."""
    page.get_by_role("button", name="Sign out").click()
    # The provider asks whether to sign out there too.
    page.wait_for_url("**/oauth2/end_session*")
    page.goto(address)
    page.get_by_role("button", name="Sign in").wait_for()


def test_whoever_signs_in_has_a_library_that_no_other_sees(
    with_provider: Dashboard, tmp_path: Path, new_page: Page
) -> None:
    page, library = new_page, with_provider.url + "/library"
    page.goto(library)
    page.get_by_role("button", name="Sign in").wait_for()
    assert page.get_by_text("Back up").count() == 0
    sign_in(page, "ana")
    import_diary(page, tmp_path)

    # Whoever comes after her in the same browser does not see it.
    sign_out(page, library)
    sign_in(page, "bo")
    assert page.get_by_text(TITLE).count() == 0

    # She finds it again, and no file says her name.
    sign_out(page, library)
    sign_in(page, "ana")
    page.get_by_text(TITLE).first.wait_for()
    names = [path.name for path in (tmp_path / "libraries").rglob("*")]
    assert not any("ana" in name for name in names), names


@pytest.fixture(scope="module")
def behind_proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A server behind the proxy of this machine."""
    folder = tmp_path_factory.mktemp("behind-proxy")
    server = Dashboard(folder)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MEMVIZ_IDENTITY_HEADER", HEADER)
        environment.setenv("MEMVIZ_TRUSTED_PROXIES", PROXY)
        environment.setenv("FORWARDED_ALLOW_IPS", "")
        environment.setenv("MEMVIZ_CLASS_FOLDER", str(folder / "libraries"))
        server.start()
    yield server
    server.stop()


def test_whom_a_proxy_names_has_a_library_that_no_other_sees(
    behind_proxy: Dashboard, tmp_path: Path, page: Page
) -> None:
    def open_library(visitor: str) -> None:
        page.set_extra_http_headers({HEADER: visitor})
        page.goto(behind_proxy.url + "/library")
        page.get_by_role("button", name="Back up").wait_for()

    open_library("ana@example.com")
    import_diary(page, tmp_path)
    open_library("bo@example.com")
    assert page.get_by_text(TITLE).count() == 0
    open_library("Ana@Example.com")
    page.get_by_text(TITLE).first.wait_for()


ANA = (HEADER, "ana@example.com")


@pytest.mark.parametrize(
    ("sender", "headers"),
    [
        (PROXY, []),
        (PROXY, [(HEADER, "")]),
        (PROXY, [ANA, ANA]),
        (PROXY, [(HEADER, "a" * 321)]),
        (STRANGER, [ANA]),
        (STRANGER, [ANA, ("X-Forwarded-For", PROXY)]),
        (STRANGER, [ANA, ("X-Real-IP", PROXY), ("Forwarded", f"for={PROXY}")]),
    ],
)
def test_nothing_is_sent_to_whom_no_proxy_names(
    behind_proxy: Dashboard, sender: str, headers: list[tuple[str, str]]
) -> None:
    server = behind_proxy
    with httpx.Client(
        base_url=server.url,
        headers=headers,
        transport=httpx.HTTPTransport(local_address=sender),
    ) as client:
        for address in ("/", "/library", "/static/index.html", "/_stcore/host-config"):
            assert client.get(address).status_code == 403, address
        assert client.get("/_stcore/health").text == "ok"
    with pytest.raises(InvalidStatus, match="403"):
        connect(
            f"ws://127.0.0.1:{server.port}/_stcore/stream",
            additional_headers=headers,
            subprotocols=["streamlit"],
            source_address=(sender, 0),
        )
