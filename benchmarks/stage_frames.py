"""How smoothly the stage plays: frames per second in Chromium, and how large the data is that a page sends for it.

    python -m benchmarks.stage_frames [--turns 60] [--seconds 20]

Six settings over a generated conversation are played from a file, as a report holds them. "frames" are the intervals
between the browser's own frames while the player plays, "drawing" is how long the script takes for one of them.
Chromium runs without a graphics card here, so every pixel is drawn by the processor: a machine with one is faster.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import memviz
from benchmarks.synthetic.generator import generate
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.reporting.themes import LIGHT
from memviz.dashboard.stage.data import Json, stage_data
from memviz.dashboard.stage.files import script, style
from memviz.transcripts.base import Transcript
from memviz.transcripts.samples import sample
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.browser.chromium import chromium, executable

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("buffer", {}), ("window", {"window_size": 10}), ("summary_buffer", {"max_token_limit": 1500}),
    ("summary", {"buffer_size": 6}), ("summary_only", {}), ("recent_only", {"recent_rounds": 3}),
)  # fmt: skip
SIZES = ((1280, 720), (1920, 1080), (390, 844))
DROPPED_MILLISECONDS = 25
"""A frame that took longer missed one at 60 a second."""
MEASURE = """async ([seconds, speed]) => {
    const intervals = [], drawing = [], picture = stage.picture, draw = picture.draw.bind(picture);
    picture.draw = (now) => { const began = performance.now(); draw(now); drawing.push(performance.now() - began); };
    stage.speed = speed;
    stage.go(0);
    await new Promise((done) => setTimeout(done, 800));
    stage.walk.play();
    const end = performance.now() + seconds * 1000;
    let last = performance.now();
    drawing.length = 0;
    await new Promise((done) => requestAnimationFrame(function tick(now) {
        if (picture.isMoving) intervals.push(now - last);
        last = now;
        if (now < end && stage.walk.isPlaying) requestAnimationFrame(tick); else done();
    }));
    stage.walk.stop();
    return { intervals, drawing, step: stage.walk.at };
}"""


class Smoothness(NamedTuple):
    """Milliseconds of all frames in which something moved."""

    intervals: list[float]
    drawing: list[float]
    step: int

    def __str__(self) -> str:
        late = sum(
            interval > DROPPED_MILLISECONDS for interval in self.intervals
        ) / len(self.intervals)
        return (
            f"{1000 / median(self.intervals):5.1f} frames a second (median), worst {max(self.intervals):5.1f} ms, "
            f"{late:4.0%} late; drawing {median(self.drawing):4.1f} ms (median), {max(self.drawing):4.1f} ms (worst); "
            f"{len(self.intervals):,} frames, {self.step} steps"
        )


def played(transcript: Transcript) -> Json:
    """What the stage plays of all settings, with prices and facts."""
    runs = [
        memviz.replay(transcript, memviz.strategy(id, **parameters))
        for id, parameters in SETTINGS
    ]
    settings = [SettingRun(run, run.label, index) for index, run in enumerate(runs)]
    return stage_data(settings, transcript, assumptions=PricingAssumptions.of())


def page_of(data: Json, folder: Path) -> Path:
    """A file with the stage alone."""
    colors = "".join(
        f"--setting-{number}: {color};" for number, color in enumerate(LIGHT.settings)
    )
    path, in_page = folder / "stage.html", json.dumps(data).replace("</", "<\\/")
    path.write_text(
        f"<!DOCTYPE html><meta charset=utf-8><style>:root {{ {colors} }} {style()}</style><div id=place></div>"
        f"<script>{script()}\nconst stage = new MemvizStage(document.getElementById('place'), "
        f"{in_page});</script>",
        encoding="utf-8",
    )
    return path


def smoothness(
    browser: Browser, path: Path, size: tuple[int, int], seconds: float, speed: float
) -> Smoothness:
    """Plays it once."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(path.as_uri())
    page.locator("canvas").wait_for()
    found = Smoothness(**page.evaluate(MEASURE, [seconds, speed]))
    page.close()
    return found


def bytes_of(data: Json) -> int:
    """As it is sent."""
    return len(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    for name, transcript in (("trip", sample("trip")), ("300 turns", generate(300))):
        print(
            f"data of {name} x {len(SETTINGS)} settings: {bytes_of(played(transcript)):,} bytes"
        )
    with TemporaryDirectory() as folder, chromium(executable() or "") as browser:
        path = page_of(played(generate(options.turns)), Path(folder))
        for size in SIZES:
            for speed in (1, 4):
                print(
                    f"{size[0]} x {size[1]}, {speed}x: {smoothness(browser, path, size, options.seconds, speed)}"
                )


if __name__ == "__main__":
    main()
