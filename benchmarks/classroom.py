"""A class in a lesson: how long its pages wait, and how much memory the server takes.

    python -m benchmarks.classroom [--students 60] [--browsers 6] [--minutes 10] [--reading-seconds 8]

One server with a class, a teacher who plays one bundled lesson after another with it, and students who join, follow,
look again as their pages do, and answer every question: some of them on the phones of a real Chromium, the others
without a browser. It prints

- **a rerun**: from what a page asks of the server, by a click or because it looks again by itself, until all of it was
  sent; of students and teacher together, and of each part of a lesson by itself;
- **the histogram**: from the teacher's click until its picture is there;
- **the reason**: from the teacher's click until the last student was sent it;
- the server's memory at the end of each lesson, and its processor time in all.

Reruns are those of the students without a browser and of the teacher. Of the phones it says how many questions they
answered. It ends with 1 if anybody was shown an exception. Reads /proc, so it runs on Linux only. What the students
take of the processor themselves slows the server: on two cores some tenths of it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
from collections import defaultdict
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import httpx
from playwright.async_api import Browser, async_playwright
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from benchmarks.streamlit_visitor import Visitor
from memviz.dashboard.lessons.lesson import Lesson
from memviz.dashboard.lessons.library import bundled_lessons
from tests.browser.chromium import FLAGS, executable
from tests.browser.dashboard import Dashboard

CODE, TEACHER_CODE = "maple street", "oak tree avenue"
TEACHER_LOOKS_SECONDS = 1.0
STUDENT_LOOKS_SECONDS = 1.5
WAITING_LOOKS_SECONDS = 5.0
"""How often the pages of memviz look again: of a teacher, of a participant, of somebody who is invited."""
ANSWERING_SECONDS = 8.0
ELEMENTS_OF_LOOK = 5
"""A look that sends more has drawn the step again."""
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
}
CLICK_MILLISECONDS = 5_000
NO_LIMIT_MB = 1e9
ANSWER, REVEAL = "class-answer-", "class-reveal-"


class Classroom:
    """A class at work on a server, and how long its pages waited."""

    def __init__(self, server: Dashboard, end: float, reading_seconds: float) -> None:
        self.server, self.end = server, end
        self.reading_seconds = reading_seconds
        self.answering_seconds = min(ANSWERING_SECONDS, reading_seconds)
        self.part = "entering"
        self.waits: dict[str, list[float]] = defaultdict(list)  # part -> seconds
        self.histograms: list[float] = []
        self.reasons: list[float] = []
        self.exceptions: list[str] = []
        self.lessons = 0
        self.answers_of_phones: list[int] = []
        self.is_over = False
        self._reason_asked = 0.0
        self._reason_seen: list[float] = []

    async def enter(self, name: str, code: str) -> Visitor:
        """Come in by the door; return the visitor on the page Lessons."""
        form = {"password": code, "name": name}
        async with httpx.AsyncClient() as browser:
            answer = await browser.post(self.server.url, data=form)
        cookie = "; ".join(f"{key}={value}" for key, value in answer.cookies.items())
        visitor = Visitor(
            self.server.url, self.server.pid, "lessons", NO_LIMIT_MB, cookie
        )
        await visitor.open()
        await visitor.run("")
        return visitor

    async def rerun(self, visitor: Visitor, *, is_look: bool = True) -> float:
        """Let a page look again, or run as a click asks; return the seconds that it waited."""
        part, started = self.part, perf_counter()
        if is_look:
            await visitor.run_fragment()
        else:
            await visitor.run("")
        seconds = perf_counter() - started
        self.waits[part].append(seconds)
        return seconds

    async def study(self, seed: int) -> None:
        """One student, until the end."""
        chance = random.Random(seed)
        visitor = await self.enter(f"Student {seed}", CODE)
        answered: set[str] = set()
        while not self.is_over:
            takes_part = visitor.has("class-leave")
            seconds = STUDENT_LOOKS_SECONDS if takes_part else WAITING_LOOKS_SECONDS
            await asyncio.sleep(seconds)
            await self.rerun(visitor)
            if self._reason_asked and visitor.elements > ELEMENTS_OF_LOOK:
                self._reason_seen.append(perf_counter() - self._reason_asked)
            if visitor.has("class-join"):
                await asyncio.sleep(chance.uniform(0, self.reading_seconds))
                visitor.click("class-join")
                await self.rerun(visitor, is_look=False)
            for key in set(visitor.keys(ANSWER)) - answered:
                answered.add(key)
                await asyncio.sleep(chance.uniform(0, self.answering_seconds))
                visitor.pick(key, chance.choice(visitor.options(key)))
                await self.rerun(visitor, is_look=False)
        self.exceptions += visitor.exceptions
        await visitor.close()

    async def study_on_phone(self, browser: Browser) -> None:
        """One student with a phone of a real browser, until the end."""
        context = await browser.new_context(**PHONE)
        page = await context.new_page()
        await page.goto(self.server.url)
        await page.locator("input[name=password]").fill(CODE)
        # The door's answer sets the cookie; another page before it would find the door again.
        async with page.expect_navigation():
            await page.keyboard.press("Enter")
        await page.goto(f"{self.server.url}/lessons")
        join = page.locator(".st-key-class-join button")
        question = page.locator(f"[class*=st-key-{ANSWER}]").first
        choice = question.locator("[role=radiogroup] label").first
        answered: set[str] = set()
        while not self.is_over:
            await asyncio.sleep(STUDENT_LOOKS_SECONDS)
            # The class may go on in the same moment.
            with suppress(PlaywrightTimeoutError):
                if await join.count():
                    await join.click(timeout=CLICK_MILLISECONDS)
                if await question.count():
                    key = await question.get_attribute("class") or ""
                    if key not in answered:
                        await choice.click(timeout=CLICK_MILLISECONDS)
                        answered.add(key)
        self.answers_of_phones.append(len(answered))
        self.exceptions += await page.get_by_test_id("stException").all_inner_texts()
        await context.close()

    async def teach(self, lessons: list[Lesson]) -> None:
        """The teacher, until the time is over and the lesson is at its end."""
        visitor = await self.enter("Ms Lee", TEACHER_CODE)
        for lesson in cycle(lessons):
            if perf_counter() > self.end:
                break
            if visitor.has("lessons-all"):
                await self._press(visitor, "lessons-all", "between lessons")
            await self._press(visitor, f"play-{lesson.id}", "between lessons")
            await self._press(visitor, "lesson-with-class", "the lesson opens")
            await self._wait(visitor, self.reading_seconds + WAITING_LOOKS_SECONDS)
            for step in range(len(lesson.steps)):
                self.part = "a step"
                await self._wait(visitor, self.reading_seconds)
                await self._ask(visitor)
                is_last = step == len(lesson.steps) - 1
                await self._press(
                    visitor,
                    "lesson-done" if is_last else "lesson-next",
                    "the lesson ends" if is_last else "a step",
                )
            self.lessons += 1
            print(
                f"{lesson.id:40} {visitor.rss_mb():6,.0f} MB (most {visitor.peak_mb():,.0f})",
                flush=True,
            )
            await self._wait(visitor, 2 * self.reading_seconds)
        self.is_over = True
        self.exceptions += visitor.exceptions
        await visitor.close()

    async def _ask(self, visitor: Visitor) -> None:
        """Wait for the answers to the question of the step, if it has one; show them, and then the reason."""
        if not visitor.keys(REVEAL):
            return
        await self._wait(visitor, self.answering_seconds + 3)
        (counts,) = visitor.keys(REVEAL)
        self.histograms.append(await self._press(visitor, counts, "the answers"))
        await self._wait(visitor, self.reading_seconds)
        (reason,) = visitor.keys(REVEAL)
        self._reason_seen = []
        self._reason_asked = perf_counter()
        await self._press(visitor, reason, "the reason")
        await self._wait(visitor, self.reading_seconds)
        self.reasons += [max(self._reason_seen, default=0.0)]
        self._reason_asked = 0.0

    async def _press(self, visitor: Visitor, key: str, part: str) -> float:
        self.part = part
        visitor.click(key)
        return await self.rerun(visitor, is_look=False)

    async def _wait(self, visitor: Visitor, seconds: float) -> None:
        """Look again by itself, as the page of a teacher does."""
        end = perf_counter() + seconds
        while perf_counter() < end:
            await asyncio.sleep(TEACHER_LOOKS_SECONDS)
            await self.rerun(visitor)


def summed_up(seconds: list[float]) -> str:
    """Return how many waits there were, and how long they were."""
    if not seconds:
        return "none"
    waits = sorted(seconds)
    at = waits[min(len(waits) - 1, int(len(waits) * 0.95))]
    return (
        f"{len(waits):6,} median {median(waits) * 1000:6,.0f} ms, p95 {at * 1000:6,.0f} ms, "
        f"longest {waits[-1] * 1000:6,.0f} ms"
    )


async def hold_class(
    server: Dashboard, options: argparse.Namespace, lessons: list[Lesson]
) -> Classroom:
    """Let the class work for so many minutes."""
    end = perf_counter() + options.minutes * 60
    room = Classroom(server, end, options.reading_seconds)
    studying = []
    async with async_playwright() as playwright:
        if options.browsers:
            browser = await playwright.chromium.launch(
                executable_path=executable(), args=list(FLAGS)
            )
            for _ in range(options.browsers):
                studying.append(asyncio.create_task(room.study_on_phone(browser)))
        for seed in range(options.students - options.browsers):
            studying.append(asyncio.create_task(room.study(seed)))
            await asyncio.sleep(0.2)
        await room.teach(lessons)
        await asyncio.gather(*studying)
    return room


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument(
        "--browsers", type=int, default=0, help="so many of them on phones"
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--reading-seconds", type=float, default=8, help="at each step")
    parser.add_argument(
        "--lessons", type=int, help="only the first ones, over and over"
    )
    parser.add_argument("--log", type=Path, help="where the server's output goes")
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        os.environ["MEMVIZ_CLASS"] = CODE
        os.environ["MEMVIZ_TEACHER_CODE"] = TEACHER_CODE
        os.environ["MEMVIZ_CLASS_FOLDER"] = str(Path(name) / "class")
        server = Dashboard(Path(name), is_measured=True)
        server.start()
        try:
            room = asyncio.run(
                hold_class(
                    server,
                    options,
                    list(bundled_lessons().values())[: options.lessons],
                )
            )
        finally:
            server.stop()
            if options.log:
                options.log.write_bytes(server.output.read_bytes())
    for part, seconds in room.waits.items():
        print(f"reruns, {part:20} {summed_up(seconds)}")
    together = [wait for seconds in room.waits.values() for wait in seconds]
    print(f"reruns, {'all':20} {summed_up(together)}")
    print(f"the histogram                {summed_up(room.histograms)}")
    print(f"the reason, last student     {summed_up(room.reasons)}")
    if options.browsers:
        print(f"questions that each phone answered: {room.answers_of_phones}")
    print(f"{len(room.exceptions)} exceptions shown")
    for text in room.exceptions[:5]:
        print("  ", text)
    return 1 if room.exceptions else 0


if __name__ == "__main__":
    raise SystemExit(main())
