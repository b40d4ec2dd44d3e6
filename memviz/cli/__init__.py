"""The command line: the jobs of the dashboard from a terminal.

A thin face on :class:`memviz.storage.workspace.Workspace` and the public API. Modules here import nothing heavy before
a command runs, so that ``memviz --help`` answers at once.
"""

from __future__ import annotations

from typing import Annotated

from typer import Exit, Option, Typer, echo

from memviz.cli.describing import list_formats, list_strategies
from memviz.cli.errors import Commands
from memviz.cli.exporting import export_conversation
from memviz.cli.importing import import_files
from memviz.cli.lessons import lessons
from memviz.cli.listing import list_conversations
from memviz.cli.models import list_models
from memviz.cli.output import never_fails_on_letters
from memviz.cli.recording import record_conversation
from memviz.cli.replaying import replay_conversation
from memviz.cli.safekeeping import back_up_library, check_library
from memviz.cli.serving import open_dashboard
from memviz.cli.sweeping import sweep_settings

# Plain help is drawn in half the time of the framed one. Tracebacks with local variables could show keys.
app = Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

app.command("import")(import_files)
app.command("list")(list_conversations)
app.command("replay")(replay_conversation)
app.command("sweep")(sweep_settings)
app.command("record")(record_conversation)
app.command("export")(export_conversation)
app.command("backup")(back_up_library)
app.command("check")(check_library)
app.add_typer(lessons, name="lessons")
app.command("strategies")(list_strategies)
app.command("formats")(list_formats)
app.command("models")(list_models)
app.command("ui")(open_dashboard)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        echo(f"memviz {version('memviz')}")
        raise Exit


@app.callback()
def memviz(
    version: Annotated[
        bool,
        Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    """See what a chatbot remembers: replay one conversation under many memory strategies.

    \b
    Begin here:
      memviz ui                                           the dashboard, in the browser
      memviz list                                         saved conversations and samples
      memviz replay sample-trip --strategy summary        what each request would have sent
      memviz sweep sample-trip                            which setting to take
      memviz import chat.json                             keep a conversation of your own
      memviz strategies                                   every strategy and its parameters
    """
    never_fails_on_letters()
