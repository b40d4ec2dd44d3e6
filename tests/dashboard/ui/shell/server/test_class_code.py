"""The code of a class: each browser that gives it gets a cookie of its own, which lasts from the last visit on."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from memviz.dashboard.ui.shell.server.login import (
    ClassCodeDoor,
    Login,
    PasswordDoor,
)
from memviz.models.access import Password
from memviz.models.class_door import (
    DAY_SECONDS,
    IDLE_DAYS,
    ClassDoor,
    Visitor,
    VisitorCookies,
)
from tests.tables import for_each

CODE = "maple street"
TEACHER_CODE = "oak and linden"
DOOR = ClassDoor(CODE, teacher_code=TEACHER_CODE)
COOKIES = VisitorCookies(bytes(32), CODE, TEACHER_CODE)
OF_A_PAGE = {"Accept": "text/html,application/xhtml+xml"}


async def page(request: Request) -> Response:
    kind = "text/javascript" if request.url.path.endswith(".js") else "text/html"
    return Response("a page", media_type=kind, headers={"Cache-Control": "max-age=9"})


def client(door: Any = None) -> TestClient:
    door = door or ClassCodeDoor(DOOR, COOKIES)
    login = Middleware(Login, door=door)
    app = Starlette(routes=[Route("/{path:path}", page)], middleware=[login])
    return TestClient(app, base_url="http://127.0.0.1:8501")


def enter(browser: TestClient, code: str, path: str = "/", name: str = "") -> Any:
    form = {"password": code, "name": name}
    return browser.post(path, data=form, follow_redirects=False)


def visitor_in(browser: TestClient) -> Visitor:
    visitor = COOKIES.visitor_of(browser.cookies[COOKIES.name])
    assert visitor is not None
    return visitor


def test_two_browsers_are_two_visitors() -> None:
    ids = set()
    for code in (CODE, " MAPLE street "):
        browser = client()
        answer = enter(browser, code, "/library?x=1")
        assert answer.status_code == 303
        assert answer.headers["location"] == "/library?x=1"
        ids.add(visitor_in(browser).id)
        assert browser.get("/library").text == "a page"
    assert len(ids) == 2


def test_a_visitor_may_say_a_name_and_a_teacher_has_a_code_of_their_own() -> None:
    student, teacher = client(), client()
    assert "Your name (or none)" in student.get("/").text
    assert enter(student, CODE, name="Ana <b>").status_code == 303
    assert visitor_in(student).name == "Ana <b>"
    assert not visitor_in(student).is_teacher
    assert enter(teacher, TEACHER_CODE.upper()).status_code == 303
    assert visitor_in(teacher).name == ""
    assert visitor_in(teacher).is_teacher


@for_each("code", ["", "maple", "maple streets", "é"])
def test_another_code_lets_nobody_in(code: str) -> None:
    browser = client()
    answer = enter(browser, code)
    assert answer.status_code == 401
    assert "This is not the code of the class." in answer.text
    assert not browser.cookies
    assert browser.get("/library").status_code == 401


def test_at_the_door_one_comes_in_with_another_name_or_code_and_stays_the_same() -> (
    None
):
    browser = client()
    enter(browser, CODE, name="Ana")
    student = visitor_in(browser)
    shown = browser.get("/door")
    assert shown.status_code == 200
    assert 'value="Ana"' in shown.text
    answer = enter(browser, TEACHER_CODE, "/door", name='Ana "Z"')
    assert answer.headers["location"] == "/"
    assert visitor_in(browser) == Visitor(student.id, 'Ana "Z"', True)
    assert 'value="Ana &#34;Z&#34;"' in browser.get("/door").text
    assert enter(browser, "wrong", "/door").status_code == 401
    assert visitor_in(browser).id == student.id


def test_signing_out_takes_the_cookie() -> None:
    browser = client()
    assert '<form method="post" hidden>' in browser.get("/door").text
    enter(browser, CODE)
    assert '<form method="post" >' in browser.get("/door").text
    form = {"sign-out": "1"}
    answer = browser.post("/door", data=form, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert not browser.cookies
    assert browser.get("/library").status_code == 401


def test_the_script_of_the_door_is_the_only_one_that_runs() -> None:
    shown = client().get("/door")
    (script,) = re.findall("<script>(.*?)</script>", shown.text, re.DOTALL)
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in shown.headers["content-security-policy"]


def test_many_new_visitors_of_one_network_wait_and_nobody_else_does() -> None:
    door = ClassCodeDoor(DOOR, COOKIES)
    inside, late, teacher = client(door), client(door), client(door)
    enter(inside, CODE)
    while (answer := enter(client(door), CODE)).status_code == 303:
        pass
    assert answer.status_code == 429
    assert "Very many new visitors came from your network." in answer.text
    assert enter(late, CODE).status_code == 429
    assert not late.cookies
    assert enter(inside, CODE, "/door", name="Ana").status_code == 303
    assert enter(teacher, TEACHER_CODE).status_code == 303


def test_the_field_is_no_password_for_the_browser_to_keep() -> None:
    shown = client().get("/").text
    assert 'type="password"' not in shown
    assert "Code of the class" in shown


def test_the_cookie_lasts_from_the_last_page_on() -> None:
    browser = client()
    first = enter(browser, CODE).headers["set-cookie"]
    lasts = f"Max-Age={IDLE_DAYS * DAY_SECONDS}"
    assert lasts in first
    assert "HttpOnly" in first
    opened = browser.get("/", headers=OF_A_PAGE)
    assert opened.headers["set-cookie"] == first
    assert opened.headers["cache-control"] == "no-store"
    other_file = browser.get("/static/app.js", headers=OF_A_PAGE)
    assert "set-cookie" not in other_file.headers
    assert other_file.headers["cache-control"] == "max-age=9"


def test_a_class_comes_in_at_once() -> None:
    attempts = ClassCodeDoor(DOOR, COOKIES).attempts
    assert [attempts.begin("192.0.2.7") for _visitor in range(200)] == [0.0] * 200


def test_a_class_behind_one_address_is_not_kept_out_by_one_of_them() -> None:
    browser = client()
    for _attempt in range(10):
        assert enter(browser, "a wrong one").status_code == 401
    assert enter(browser, CODE).status_code == 303


def test_the_cookie_of_a_password_ends_with_the_browser() -> None:
    browser = client(PasswordDoor(Password(CODE), 8501))
    assert "Max-Age" not in enter(browser, CODE).headers["set-cookie"]
    assert "set-cookie" not in browser.get("/", headers=OF_A_PAGE).headers
