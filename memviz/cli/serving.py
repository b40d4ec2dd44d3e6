"""``memviz ui``: the dashboard in the browser."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from typer import Option

from memviz.cli.errors import OutputError
from memviz.cli.options import Database

Port = Annotated[int, Option("--port", min=1, max=65_535, help="The port to listen on.")]
Address = Annotated[
    str, Option("--address", help="The address to listen on. There is no login: others only where you trust them all.")
]


def open_dashboard(port: Port = 8501, address: Address = "127.0.0.1", db: Database = None) -> None:
    """Start the dashboard; Ctrl-C ends it.

    Nobody but this machine can reach it unless another address is given.

    \b
    Examples:
      memviz ui
      memviz ui --port 8600 --db ~/chats.db
    """
    from memviz.dashboard import dashboard_folder
    from memviz.workspace import DATABASE_VARIABLE

    main = dashboard_folder() / "app.py"
    if not main.is_file():
        raise OutputError(f"The pages of the dashboard are not in {main.parent}. Install memviz again.")
    if db:
        os.environ[DATABASE_VARIABLE] = db
    from streamlit.web.cli import main as streamlit

    # The configuration, theme included, is read from .streamlit beside app.py, wherever this is started from.
    arguments = ["run", str(main), "--server.port", str(port), "--server.address", address]
    sys.exit(streamlit(arguments, prog_name="memviz ui"))
