"""Import of long files, and the library with many conversations.

    python -m benchmarks.importing [--messages 100000] [--conversations 5000]

One conversation of many messages is read as a JSON list, as JSON lines and as CSV, then saved; then a file of many
conversations is read and saved, and the library is asked for its pages and searched. Times are of the processor; the
last column is how many times parsing the same JSON once (``json.loads``) takes as long.
"""

import argparse
import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TypeVar

from memviz.storage.workspace import Workspace
from memviz.transcripts.loading import LoadedFile, formats, load_file

T = TypeVar("T")
LIMIT_SECONDS = 10
SENTENCE = "The ferry to Vestmanna leaves at 7:40 and the ticket costs 12 euros for each of us. "


def messages(count: int) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [
        {"role": roles[n % 2], "content": f"Message number {n}: {SENTENCE * 4}"}
        for n in range(count)
    ]


def timed(label: str, unit_seconds: float, work: Callable[[], T]) -> T:
    start = process_time()
    result = work()
    seconds = process_time() - start
    print(f"{label:44} {seconds:8.2f} s {seconds / unit_seconds:10.1f}x")
    return result


def as_csv(talk: list[dict[str, str]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, ("role", "content"))
    writer.writeheader()
    writer.writerows(talk)
    return text.getvalue().encode()


def one_long_conversation(
    workspace: Workspace, talk: list[dict[str, str]], unit_seconds: float
) -> float:
    data = json.dumps(talk).encode()
    start = process_time()
    loaded = timed(
        f"JSON list, {len(data) / 1e6:.0f} MB", unit_seconds, lambda: load_file(data)
    )
    timed("saved", unit_seconds, lambda: workspace.add([loaded.whole(0)]))
    seconds = process_time() - start
    lines = "\n".join(map(json.dumps, talk)).encode()
    timed("JSON lines", unit_seconds, lambda: load_file(lines))
    table = as_csv(talk)
    timed("CSV", unit_seconds, lambda: load_file(table))
    return seconds


def many_conversations(
    workspace: Workspace, talk: list[dict[str, str]], count: int, unit_seconds: float
) -> None:
    size = len(talk) // count
    data = json.dumps([talk[n * size : (n + 1) * size] for n in range(count)]).encode()
    loaded: LoadedFile = timed(
        f"{count:,} conversations", unit_seconds, lambda: load_file(data)
    )
    timed(
        "saved",
        unit_seconds,
        lambda: workspace.add([loaded.whole(n) for n in range(count)]),
    )
    for search in ("", "vestmanna", "nothing of the kind", f"number {len(talk) - 1}"):
        what = f"search {search!r}" if search else "first page"
        _, found = timed(
            what,
            unit_seconds,
            lambda search=search: workspace.store.page(search, 20, 0),
        )
        print(f"{'':44} {found:8,} found")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--conversations", type=int, default=5_000)
    asked = parser.parse_args()
    formats()  # what importing the readers costs is paid once
    talk = messages(asked.messages)
    text = json.dumps(talk)
    start = process_time()
    json.loads(text)
    unit_seconds = process_time() - start
    print(f"json.loads once: {unit_seconds:.3f} s")
    with TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder) / "bench.db")
        seconds = one_long_conversation(workspace, talk, unit_seconds)
        many_conversations(workspace, talk, asked.conversations, unit_seconds)
    print(
        f"{asked.messages:,} messages read and saved: {seconds:.1f} s (limit {LIMIT_SECONDS} s)"
    )
    if seconds > LIMIT_SECONDS:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
