"""A class under attack: forged cookies, guessed and withdrawn links, and what a student sends in a teacher's place.

One server for all of it. Pages are opened over their socket, as a browser does, and clicks are sent that no page of the
visitor offers: the ids of the buttons are those that a page of somebody else had.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from memviz import Message, Transcript
from memviz.models.class_door import ClassDoor, Visitor, VisitorCookies
from memviz.storage.class_shelf import ClassShelf
from memviz.storage.library_places import LibraryFolder
from memviz.storage.workspace import FIRST_SAMPLE, Workspace
from tests.browser.dashboard import Dashboard
from tests.class_cookies import cookies_of

if TYPE_CHECKING:
    from pathlib import Path

CODE, TEACHER_CODE = "maple street", "oak and linden"
SECRET = "zebra at the river"
TITLE = "Diary of Ana"
pytestmark = pytest.mark.slow


@dataclass
class ClassUnderAttack:
    """A server, its class, and the cookies of three who are in."""

    server: Dashboard
    folder: Path
    cookies: VisitorCookies
    ana: str
    bo: str
    teacher: str

    def visitor(self, cookie: str) -> Visitor:
        visitor = self.cookies.visitor_of(cookie)
        assert visitor is not None
        return visitor

    @property
    def shelf(self) -> ClassShelf:
        return ClassShelf(LibraryFolder(self.folder).open_shelf())

    def share_diary(self) -> str:
        """Share a conversation of Ana by a link; return its token."""
        library = Workspace(":memory:")
        diary = Transcript((Message("user", SECRET),), title=TITLE)
        (entry,) = library.add([diary])
        return self.shelf.share(self.visitor(self.ana), library, entry.id).token

    def publish_sample(self) -> str:
        """Publish a bundled conversation; return its token."""
        library = Workspace(":memory:")
        teacher = self.visitor(self.teacher)
        return self.shelf.publish(teacher, library, FIRST_SAMPLE).token

    def header(self, cookie: str) -> dict[str, str]:
        return {"Cookie": f"{self.cookies.name}={cookie}"}

    def open_page(
        self, cookie: str, page: str, query: str = "", click: str = ""
    ) -> str:
        """Return all that a page sends, as text; after the ``click`` on a button, by its id, where one is named."""
        with connect(
            self.server.url.replace("http", "ws") + "/_stcore/stream",
            origin=Origin(self.server.url),
            subprotocols=[Subprotocol("streamlit")],
            additional_headers=self.header(cookie),
            max_size=None,
        ) as socket:
            asked = BackMsg()
            asked.rerun_script.query_string = query
            asked.rerun_script.page_name = page
            shown = ""
            for clicked in ["", click] if click else [""]:
                if clicked:
                    state = asked.rerun_script.widget_states.widgets.add()
                    state.id, state.trigger_value = clicked, True
                socket.send(asked.SerializeToString())
                shown += _read_run(socket, asked)
            return shown


def _read_run(socket: ClientConnection, asked: BackMsg) -> str:
    """Return all that a run of a page sends; from now on ``asked`` is about this page."""
    shown = ""
    while True:
        answer = ForwardMsg()
        answer.ParseFromString(socket.recv(decode=False))
        shown += str(answer)
        if answer.WhichOneof("type") == "navigation":
            asked.rerun_script.page_script_hash = answer.navigation.page_script_hash
            asked.rerun_script.page_name = ""
        elif answer.WhichOneof("type") == "script_finished":
            if answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return shown


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClassUnderAttack]:
    folder = tmp_path_factory.mktemp("attacked")
    door = ClassDoor(CODE, folder / "class", TEACHER_CODE)
    server = Dashboard(folder)
    with pytest.MonkeyPatch.context() as environment:
        for name, value in door.variables().items():
            environment.setenv(name, value)
        server.start()
    cookies = cookies_of(door)
    ana, bo = cookies.issue("Ana"), cookies.issue("Bo")
    teacher = cookies.issue("Ms Lee", is_teacher=True)
    try:
        yield ClassUnderAttack(server, door.folder, cookies, ana, bo, teacher)
    finally:
        server.stop()


def button_id(shown: str, key: str) -> str:
    """Return the id of the button of this key on a page."""
    match = re.search(rf'"(\$\$ID-[^"]*-{re.escape(key)})"', shown)
    assert match, key
    return match[1]


def forge_cookies(attacked: ClassUnderAttack) -> dict[str, str]:
    """Return cookies that were not issued here, by what is forged in each: the rights, the name or the id of somebody
    else, or the class."""
    bo_id, bo_name, _, bo_signature = attacked.bo.split(".")
    _, _, proof, teacher_signature = attacked.teacher.split(".")
    ana_id = attacked.ana.partition(".")[0]
    other = VisitorCookies(secrets.token_bytes(32), CODE, TEACHER_CODE)
    other_code = cookies_of(ClassDoor("maple lane", attacked.folder, TEACHER_CODE))
    return {
        "a teacher's proof": f"{bo_id}.{bo_name}.{proof}.{bo_signature}",
        "a teacher's proof and signature": f"{bo_id}.{bo_name}.{proof}.{teacher_signature}",
        "a guessed proof": f"{bo_id}.{bo_name}.{'0' * 64}.{bo_signature}",
        "a flag": f"{bo_id}.{bo_name}.1.{bo_signature}",
        "another's id": f"{ana_id}.{bo_name}..{bo_signature}",
        "another's id as before": f"{ana_id}.{bo_signature}",
        "another name": f"{bo_id}.{b'Ms Lee'.hex()}..{bo_signature}",
        "no signature": f"{bo_id}.{bo_name}..",
        "a teacher of another class": other.issue("Ms Lee", is_teacher=True),
        "a student of another class": other.issue(visitor_id=ana_id),
        "a teacher under another code": other_code.issue(is_teacher=True),
        "nothing": "",
        "a letter": "x",
        "an id alone": bo_id,
        "an id and nothing behind it": f"{bo_id}.",
        "a signature that is cut": attacked.bo[:-1],
        "an id of zeros": f"{'0' * 32}.{bo_name}..{bo_signature}",
        "a path": f"../{attacked.bo}",
    }


ADDRESSES = (
    "/",
    "/library",
    "/library?shared={token}",
    "/library?read={conversation}",
    "/compare?conversation={conversation}",
    "/media/{token}{token}.json",
    "/static/index.html",
    "/component/memviz_languages/index.html",
    "/_stcore/host-config",
    "/_stcore/metrics",
    "/door",
)


@pytest.mark.parametrize("number", range(18))
def test_no_forged_cookie_is_sent_anything(
    attacked: ClassUnderAttack, number: int
) -> None:
    kind, cookie = list(forge_cookies(attacked).items())[number]
    token = attacked.share_diary()
    shared = attacked.shelf.find(token)
    assert shared is not None
    with httpx.Client(base_url=attacked.server.url) as client:
        for address in ADDRESSES:
            asked = address.format(token=token, conversation=shared.conversation_id)
            answer = client.get(asked, headers=attacked.header(cookie))
            assert answer.status_code == 401, (kind, address)
            assert TITLE not in answer.text
        file = {"file": ("diary.json", b"[]")}
        upload = "/_stcore/upload_file/session/file"
        answer = client.put(upload, headers=attacked.header(cookie), files=file)
        assert answer.status_code in (401, 403), kind
        assert client.get("/_stcore/health").status_code == 200
        inside = client.get("/library", headers=attacked.header(attacked.bo))
        assert inside.status_code == 200
    with pytest.raises(InvalidStatus, match="403"):
        attacked.open_page(cookie, "library")
    attacked.shelf.withdraw(attacked.visitor(attacked.ana), token)


@pytest.mark.parametrize("reason", ["withdrawn", "guessed", "cut", "another id"])
def test_a_link_that_is_none_any_more_shows_nothing(
    attacked: ClassUnderAttack, reason: str
) -> None:
    token = attacked.share_diary()
    assert SECRET in attacked.open_page(attacked.bo, "library", f"shared={token}")
    shared = attacked.shelf.find(token)
    assert shared is not None
    if reason == "withdrawn":
        attacked.shelf.withdraw(attacked.visitor(attacked.ana), token)
    asked = {
        "withdrawn": token,
        "guessed": secrets.token_hex(16),
        "cut": token[:-1],
        "another id": shared.conversation_id,
    }[reason]
    shown = attacked.open_page(attacked.bo, "library", f"shared={asked}")
    assert "This link leads to nothing" in shown
    assert SECRET not in shown
    assert TITLE not in shown
    attacked.shelf.withdraw_all_of(shared.sharer_id)


@pytest.mark.parametrize("page", ["library", "compare"])
def test_what_is_shared_is_in_nobodys_library(
    attacked: ClassUnderAttack, page: str
) -> None:
    token = attacked.share_diary()
    shared = attacked.shelf.find(token)
    assert shared is not None
    part = "read" if page == "library" else "conversation"
    query = f"{part}={shared.conversation_id}"
    shown = attacked.open_page(attacked.bo, page, query)
    assert "is not in this library" in shown
    assert SECRET not in shown
    attacked.shelf.withdraw_all_of(shared.sharer_id)


def test_a_student_publishes_nothing(attacked: ClassUnderAttack) -> None:
    key = f"publish-{FIRST_SAMPLE}"
    publish = button_id(attacked.open_page(attacked.teacher, "library"), key)
    shown = attacked.open_page(attacked.bo, "library", click=publish)
    assert key not in shown
    assert attacked.shelf.published() == []
    attacked.open_page(attacked.teacher, "library", click=publish)
    (published,) = attacked.shelf.published()
    attacked.shelf.withdraw(attacked.visitor(attacked.teacher), published.token)


@pytest.mark.parametrize("shared_by", ["teacher", "student"])
def test_nobody_withdraws_what_somebody_else_shares(
    attacked: ClassUnderAttack, shared_by: str
) -> None:
    if shared_by == "teacher":
        token, sharer = attacked.publish_sample(), attacked.teacher
    else:
        token, sharer = attacked.share_diary(), attacked.ana
    query = f"shared={token}"
    of_sharer = attacked.open_page(sharer, "library", query)
    withdraw = button_id(of_sharer, f"withdraw-{token}")
    shown = attacked.open_page(attacked.bo, "library", query, click=withdraw)
    assert "Copy to my library" in shown
    assert f"withdraw-{token}" not in shown
    assert attacked.shelf.find(token) is not None
    attacked.open_page(sharer, "library", query, click=withdraw)
    assert attacked.shelf.find(token) is None


def test_no_page_of_another_site_signs_somebody_out(
    attacked: ClassUnderAttack,
) -> None:
    headers = attacked.header(attacked.bo) | {"Origin": "https://elsewhere.example"}
    address = attacked.server.url + "/door"
    answer = httpx.post(address, data={"sign-out": "1"}, headers=headers)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_file_of_another_is_behind_no_address_that_can_be_guessed(
    attacked: ClassUnderAttack,
) -> None:
    ana = attacked.visitor(attacked.ana).id
    attacked.open_page(attacked.ana, "library")
    with httpx.Client(base_url=attacked.server.url) as client:
        for path in (
            f"media/{ana}.db",
            f"media/../libraries/{ana}.db",
            f"static/..%2f..%2flibraries/{ana}.db",
            f"media/{secrets.token_hex(28)}.db",
        ):
            answer = client.get(path, headers=attacked.header(attacked.bo))
            assert b"SQLite format" not in answer.content, path
