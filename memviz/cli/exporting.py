"""``memviz export``: a conversation in a format of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from memviz.cli.errors import UnknownExportError
from memviz.cli.inputs import source_of
from memviz.cli.options import Database, FileOrId, FormatName, Number, UserName
from memviz.cli.output import write_text

To = Annotated[
    str,
    Option("--to", metavar="NAME", help="openai, finetuning, markdown, csv or memviz."),
]
Out = Annotated[
    Path | None,
    Option(
        "--output", "-o", metavar="OUT", help="The file to write. [default: stdout]"
    ),
]


def export_conversation(
    conversation: FileOrId,
    to: To,
    output: Out = None,
    format: FormatName = None,
    user: UserName = None,
    number: Number = None,
    db: Database = None,
) -> None:
    """Write a conversation in another format.

    \b
    Examples:
      memviz export sample-trip --to markdown | less
      memviz export 3f2a91bc --to finetuning -o trip.jsonl
      memviz export chat.txt --to openai > messages.json
    """
    from memviz.transcripts.export import EXPORTS

    if to not in EXPORTS:
        raise UnknownExportError(to, EXPORTS)
    source = source_of(conversation, db, format, number, user)
    write_text(EXPORTS[to].write(source.transcript), output, source.file)
