"""A collection of malformed and hostile files with the verdict a good reader reaches on each."""

import json
import os
from pathlib import Path

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_transcript

FOLDER = Path(os.environ.get("MEMVIZ_TEST_DATA", "")) / "bad"
MANIFEST = FOLDER / "manifest.json"


def _cases():
    if not os.environ.get("MEMVIZ_TEST_DATA") or not MANIFEST.is_file():
        reason = (
            "set MEMVIZ_TEST_DATA to the folder with bad/manifest.json to run these"
        )
        return [pytest.param({}, id="files", marks=pytest.mark.skip(reason=reason))]
    return [
        pytest.param(case, id=case["file"])
        for case in json.loads(MANIFEST.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("case", _cases())
def test_verdict(case):
    try:
        transcript = load_transcript(FOLDER / case["file"])
    except TranscriptError:
        assert case["verdict"] == "reject"
        return
    assert case["verdict"] == ("warn" if transcript.warnings else "ok")
    assert len(transcript.messages) in case["expect_messages"]
