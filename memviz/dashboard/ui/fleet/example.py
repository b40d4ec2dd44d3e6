"""A sweep over the conversations that come with memviz, for a visitor whose server shows no fleet."""

from atexit import register
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import streamlit as st

from memviz.transcripts.samples import bundled_folder
from memviz.tuning.sweep import sweep

GRID = {"buffer": {}, "window": {"window_size": [10, 20, 40]}}


@st.cache_resource(show_spinner=False)
def swept_example() -> str:
    """Return the folder of the sweep, which is made once in this process and goes with it."""
    folder = mkdtemp(prefix="memviz-example-")
    register(partial(rmtree, folder, ignore_errors=True))
    target = Path(folder, "example")
    sweep(bundled_folder(), GRID, write=target)
    return str(target)
