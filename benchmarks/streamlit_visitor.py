"""A visitor without a browser: opens pages of a running server by its websocket, chooses, clicks, and measures."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from http.cookies import SimpleCookie
from pathlib import Path
from time import perf_counter
from typing import TypeVar
from urllib.request import Request, urlopen

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

T = TypeVar("T")
MB = 1_000_000
TICKS = os.sysconf("SC_CLK_TCK")
WATCH_SECONDS = 0.1
XSRF_COOKIE = "_streamlit_xsrf"
PICTURES = ("plotly_chart", "chat_message")


class ServerGoneError(Exception):
    """The server took more memory than it may, and was ended."""


class Visitor:
    """One browser session at the server with process id ``pid``, on one page."""

    def __init__(
        self, url: str, pid: int, page: str, most_mb: float, cookie: str = ""
    ) -> None:
        self.url, self.pid, self.page, self.most_mb = url, pid, page, most_mb
        self.cookie = cookie
        self.exceptions: list[str] = []
        self._page_hash = ""
        self._widgets: dict[str, str] = {}  # key -> id
        self._states: dict[str, WidgetState] = {}
        self._clicked: list[str] = []
        self._once: list[WidgetState] = []
        self._fragment = ""
        self._choices: dict[str, list[str]] = {}  # key of a radio -> its options
        self.elements = 0
        """Elements that the last run sent, those of a part that ran after it too."""
        self.start()

    async def open(self) -> None:
        """Connect."""
        stream = self.url.replace("http", "ws", 1) + "/_stcore/stream"
        self._socket = await websockets.connect(
            stream,
            subprotocols=["streamlit"],
            max_size=None,
            origin=self.url,
            additional_headers={"Cookie": self.cookie} if self.cookie else {},
            compression=None,
            ping_timeout=None,
        )
        self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Leave."""
        self._watching.cancel()
        await self._socket.close()

    def start(self) -> None:
        """From here on time is measured."""
        self._started, self._started_cpu = perf_counter(), self.cpu_seconds()
        self._picture: tuple[float, float] | None = None
        self._page = 0.0
        self._received_bytes = 0

    def choose(self, key: str, option: str) -> None:
        """Choose an option of a select box with the next run."""
        state = WidgetState(id=self._widgets[key])
        state.string_value = option
        self._states[key] = state

    def enter(self, key: str, number: float) -> None:
        """Enter a number with the next run."""
        self._states[key] = WidgetState(id=self._widgets[key], double_value=number)

    def pick(self, key: str, option: str) -> None:
        """Take an option of a radio with the next run."""
        self._states[key] = WidgetState(id=self._widgets[key], string_value=option)

    def click(self, key: str) -> None:
        """Click a button with the next run."""
        self._clicked.append(self._widgets[key])

    def has(self, key: str) -> bool:
        """Whether the page has this control."""
        return key in self._widgets

    def keys(self, beginning: str) -> list[str]:
        """Return the keys of all controls that begin so."""
        return [key for key in self._widgets if key.startswith(beginning)]

    def options(self, key: str) -> list[str]:
        """Return the options of a radio."""
        return self._choices[key]

    async def upload(self, key: str, name: str, data: bytes) -> None:
        """Give a file to an uploader with the next run."""
        message = BackMsg()
        message.file_urls_request.request_id = name
        message.file_urls_request.file_names.append(name)
        await self._socket.send(message.SerializeToString())
        answer = ForwardMsg()
        while answer.WhichOneof("type") != "file_urls_response":
            answer.ParseFromString(await self._socket.recv())
        urls = answer.file_urls_response.file_urls[0]
        boundary, token = "memviz-benchmark", await asyncio.to_thread(self._xsrf_token)
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        request = Request(  # noqa: S310 - our own server
            self.url + urls.upload_url,
            head + data + f"\r\n--{boundary}--\r\n".encode(),
            method="PUT",
            headers={
                "Content-Type": f"multipart/form-data; boundary={boundary}",
                "Origin": self.url,
                "X-Xsrftoken": token,
                "Cookie": f"{XSRF_COOKIE}={token}",
            },
        )
        await asyncio.to_thread(lambda: urlopen(request).close())  # noqa: S310 - our own server
        state = WidgetState(id=self._widgets[key])
        state.file_uploader_state_value.uploaded_file_info.add(
            file_id=urls.file_id, name=name, size=len(data), file_urls=urls
        )
        self._once.append(state)

    def _xsrf_token(self) -> str:
        with urlopen(f"{self.url}/_stcore/health") as answer:  # noqa: S310 - our own server
            cookies = SimpleCookie(answer.headers.get("Set-Cookie", ""))
        return cookies[XSRF_COOKIE].value

    async def run(self, query: str, *, page: str | None = None) -> None:
        """One run of the page's script, to its end."""
        if page is not None:
            self.page, self._page_hash, self._states = page, "", {}
        await self._run(query, fragment="")

    async def run_fragment(self) -> None:
        """Run the part of the page that runs by itself every so often, as the browser does then, and what follows from
        it."""
        await self._run("", fragment=self._fragment)

    async def _run(self, query: str, *, fragment: str) -> None:
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_script_hash = self._page_hash
        message.rerun_script.page_name = "" if self._page_hash else self.page
        message.rerun_script.fragment_id = fragment
        for state in self._states.values():
            message.rerun_script.widget_states.widgets.append(state)
        for id in self._clicked:
            message.rerun_script.widget_states.widgets.append(
                WidgetState(id=id, trigger_value=True)
            )
        for state in self._once:
            message.rerun_script.widget_states.widgets.append(state)
        self._clicked, self._once = [], []
        self.elements = 0
        await self._socket.send(message.SerializeToString())
        await self._until_finished()
        self._page = self.cpu_seconds() - self._started_cpu

    async def _until_finished(self) -> None:
        while True:
            try:
                raw = await self._socket.recv()
            except websockets.ConnectionClosed:
                raise ServerGoneError(
                    self._gone or "the server closed the connection"
                ) from None
            self._received_bytes += len(raw)
            answer = ForwardMsg()
            answer.ParseFromString(raw)
            kind = answer.WhichOneof("type")
            if kind == "auto_rerun":
                self._fragment = answer.auto_rerun.fragment_id
            if kind == "new_session" and not answer.metadata.run.fragment_ids:
                self._widgets, self._choices = {}, {}
            if kind in ("new_session", "navigation"):
                self._page_hash = getattr(answer, kind).page_script_hash
            elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                self._element(answer.delta.new_element)
            elif kind == "delta" and answer.delta.WhichOneof("type") == "add_block":
                self._note_picture(answer.delta.add_block.WhichOneof("type"))
            elif (
                kind == "script_finished"
                and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            ):
                return

    def _element(self, element: object) -> None:
        self.elements += 1
        kind = element.WhichOneof("type")  # type: ignore[attr-defined]
        if kind == "exception":
            self.exceptions.append(element.exception.message[:200])  # type: ignore[attr-defined]
        self._note_picture(kind)
        id = getattr(getattr(element, kind), "id", "")
        if found := re.fullmatch(r"\$\$ID-[0-9a-f]+-(.+)", id):
            self._widgets[found[1]] = id
            if kind == "radio":
                self._choices[found[1]] = list(element.radio.options)  # type: ignore[attr-defined]

    def _note_picture(self, kind: str | None) -> None:
        if kind in PICTURES and self._picture is None:
            self._picture = (
                self.cpu_seconds() - self._started_cpu,
                perf_counter() - self._started,
            )

    _gone = ""

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if self.rss_mb() > self.most_mb:
                self._gone = f"ended at {self.most_mb:,.0f} MB"
                os.kill(self.pid, 9)
                return

    def measured(self, kind: Callable[..., T], left_mb: float, note: str) -> T:
        """What was measured since :meth:`start`. Without a picture the whole page counts as one."""
        cpu, seconds = self._picture or (self._page, perf_counter() - self._started)
        peak = self.peak_mb() if not self._gone else self.most_mb
        return kind(
            cpu, seconds, self._page, self._received_bytes / MB, peak, left_mb, note
        )

    def cpu_seconds(self) -> float:
        """Processor time of the server so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def rss_mb(self) -> float:
        """Memory of the server now."""
        return self._status("VmRSS")

    def peak_mb(self) -> float:
        """Most memory that the server ever had."""
        return self._status("VmHWM")

    def _status(self, name: str) -> float:
        found = re.search(
            rf"{name}:\s+(\d+) kB", Path(f"/proc/{self.pid}/status").read_text()
        )
        return int(found[1]) * 1024 / MB if found else 0.0
