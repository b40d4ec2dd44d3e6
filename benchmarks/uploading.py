"""Memory of the server while large files are imported through Library, one after the other, and afterwards.

    python -m benchmarks.uploading [--mb 99] [--files 3]

Each file is one conversation of that size. "Before" is the memory of the server before the upload, "peak" the most it
had until the conversation was saved, "after" what it has a few seconds later. Reads /proc, so it runs on Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.importing import messages
from benchmarks.streamlit_visitor import Visitor
from tests.browser.dashboard import Dashboard

SETTLED_SECONDS = 3.0
POLL_SECONDS = 1.0
MESSAGE_BYTES = 410


def file_of(mb: float) -> bytes:
    return json.dumps(messages(int(mb * 1_000_000 / MESSAGE_BYTES))).encode()


async def upload(visitor: Visitor, number: int, data: bytes) -> None:
    await visitor.run("")
    before = visitor.rss_mb()
    await visitor.upload(f"library-upload-{number}", f"talk-{number}.json", data)
    await visitor.run("")
    while visitor.has("library-cancel"):  # it is still being read
        await asyncio.sleep(POLL_SECONDS)
        await visitor.run("")
    peak = visitor.peak_mb()
    await asyncio.sleep(SETTLED_SECONDS)
    line = f"{len(data) / 1e6:7.0f} MB {before:10,.0f} MB {peak:10,.0f} MB {visitor.rss_mb():10,.0f} MB"
    print(f"file {number + 1:2}{line}", *visitor.exceptions[:1], flush=True)


async def visit(server: Dashboard, data: bytes, files: int) -> None:
    visitor = Visitor(server.url, server.pid, "library", 8_000)
    await visitor.open()
    for number in range(files):
        await upload(visitor, number, data)
    await visitor.close()
    await asyncio.sleep(SETTLED_SECONDS)
    print(f"the visitor has gone {visitor.rss_mb():10,.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mb", type=float, default=99)
    parser.add_argument("--files", type=int, default=3)
    options = parser.parse_args()
    data = file_of(options.mb)
    print(f"{'':17}{'before':>13}{'peak':>13}{'after':>13}")
    with TemporaryDirectory() as name:
        server = Dashboard(Path(name), is_measured=True)
        server.start()
        try:
            asyncio.run(visit(server, data, options.files))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
