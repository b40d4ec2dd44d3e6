"""The command line: the jobs of the dashboard from a terminal.

A thin face on :class:`memviz.storage.workspace.Workspace` and the public API. Modules here import nothing heavy before
a command runs, so that ``memviz --help`` answers at once.
"""

from typing import Annotated, Any

from typer import Exit, Option, Typer, echo
from typer.core import TyperGroup

from memviz.cli.designing import design_memory
from memviz.cli.diffing import compare_suites
from memviz.cli.errors import FAILED, WRONG_USE, WRONG_USES
from memviz.cli.exchanging import (
    back_up_library,
    check_library,
    export_conversation,
    import_files,
)
from memviz.cli.lessons import PLAIN, lessons
from memviz.cli.listing import (
    list_conversations,
    list_formats,
    list_models,
    list_strategies,
)
from memviz.cli.mapping import map_file
from memviz.cli.output import complain, never_fails_on_letters
from memviz.cli.recording import record_conversation
from memviz.cli.replaying import replay_conversation
from memviz.cli.serving import open_dashboard
from memviz.cli.sweeping import sweep_settings
from memviz.cli.transferring import transfer_library
from memviz.cli.verifying import verify_log
from memviz.cli.watching import watch_programs
from memviz.cli.why import explain_loss
from memviz.core.errors import MemvizError

FINDING = ("why", "verify", "diff", "design")
"""Commands that end with 1 for what they find, such as a breach or no setting that does what was asked, and with 2
after any error."""


class Commands(TyperGroup):
    """The commands. Any error of memviz that one of them raises is told and ends it; nothing shows a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except MemvizError as error:
            complain(f"Error: {error}")
            is_wrong_use = (
                isinstance(error, WRONG_USES) or ctx.invoked_subcommand in FINDING
            )
            raise Exit(WRONG_USE if is_wrong_use else FAILED) from None


app = Typer(cls=Commands, no_args_is_help=True, **PLAIN)

app.command("import")(import_files)
app.command("map")(map_file)
app.command("list")(list_conversations)
app.command("replay")(replay_conversation)
app.command("why")(explain_loss)
app.command("verify")(verify_log)
app.command("diff")(compare_suites)
app.command("sweep")(sweep_settings)
app.command("design")(design_memory)
app.command("record")(record_conversation)
app.command("export")(export_conversation)
app.command("backup")(back_up_library)
app.command("check")(check_library)
app.command("transfer")(transfer_library)
app.add_typer(lessons, name="lessons")
app.command("strategies")(list_strategies)
app.command("formats")(list_formats)
app.command("models")(list_models)
app.command("watch")(watch_programs)
app.command("ui")(open_dashboard)


def _show_version(is_asked: bool) -> None:
    if is_asked:
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
      memviz why sample-trip "3,600 euros"                why that was forgotten
      memviz sweep sample-trip                            which setting to take
      memviz design chats/ --usd-per-1000 4               the cheapest memory that a budget pays for
      memviz import chat.json                             keep a conversation of your own
      memviz watch                                        keep what coding agents say, as they say it
      memviz strategies                                   every strategy and its parameters
    """
    never_fails_on_letters()
