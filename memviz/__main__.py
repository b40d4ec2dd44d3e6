"""``python -m memviz`` is the command ``memviz``."""

from memviz.cli import app

app(prog_name="memviz")
