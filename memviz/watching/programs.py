"""The programs whose sessions are watched: where they keep them, and by which rule they
compact."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memviz.transcripts.growing import parse_row

HEAD_BYTES = 200_000
HEAD_ROWS = 5
"""So much of a file is looked at to see whose it is."""

SUBAGENT_FILE = "agent-"
"""How the name of a file begins in which Claude Code keeps the session of one subagent."""
ASIDE = ("agent-acompact-", "agent-aprompt_suggestion-")
"""Those of its own helpers, which repeat a session to compact it and to suggest a prompt."""
SUFFIXES = (".jsonl", ".json", ".db")
"""Of sessions. What programs and editors write aside has others."""


@dataclass(frozen=True)
class Program:
    """A program that writes its sessions into a folder."""

    id: str
    title: str
    folder: str
    """Where they are unless it was told otherwise, from the home folder on."""
    variable: str
    """The environment variable by which it is told otherwise, and what is below that."""
    below: str
    pattern: str
    """Which files of the folder are sessions."""
    preset: str
    """Its memory rule in memviz; empty where nobody says what it does."""
    subagents: str = ""
    """Which files are sessions of subagents, where these lie elsewhere."""

    def patterns(self) -> list[str]:
        """Return the patterns of all its sessions."""
        return [self.pattern, self.subagents] if self.subagents else [self.pattern]

    def place(self) -> Path:
        """Return the folder of its sessions on this machine."""
        chosen = os.environ.get(self.variable, "").strip()
        return Path(chosen) / self.below if chosen else Path.home() / self.folder


PROGRAMS: Mapping[str, Program] = {
    program.id: program
    for program in (
        Program(
            "claude_code",
            "Claude Code",
            ".claude/projects",
            "CLAUDE_CONFIG_DIR",
            "projects",
            "*/*.jsonl",
            "claude_code",
            f"*/*/subagents/{SUBAGENT_FILE}*.jsonl",
        ),
        Program(
            "codex",
            "Codex",
            ".codex/sessions",
            "CODEX_HOME",
            "sessions",
            "**/rollout-*.jsonl",
            "codex",
        ),
        Program(
            "gemini_cli",
            "Gemini CLI",
            ".gemini/tmp",
            "GEMINI_CLI_HOME",
            ".gemini/tmp",
            "*/chats/*.json*",
            "gemini_cli",
        ),
        Program(
            "copilot_cli",
            "Copilot CLI",
            ".copilot/session-state",
            "COPILOT_HOME",
            "session-state",
            "*/events.jsonl",
            "",
        ),
        Program(
            "opencode",
            "opencode",
            ".local/share/opencode",
            "XDG_DATA_HOME",
            "opencode",
            "opencode.db",
            "opencode",
        ),
    )
}
"""In the order in which they are asked for."""


@dataclass(frozen=True)
class Place:
    """A folder to watch. ``program`` is ``None`` where each file says whose it is."""

    folder: Path
    program: Program | None = None

    def sessions(self) -> Iterator[Path]:
        """The sessions that are in it."""
        patterns = ["**/*"]
        if self.program is not None:
            patterns = self.program.patterns()
        for pattern in patterns:
            yield from filter(self.is_session, self.folder.glob(pattern))

    def is_session(self, path: Path) -> bool:
        """Return whether a file is one by its place and name, and no pipe: that would be
        waited for."""
        if path.suffix not in SUFFIXES or not path.is_relative_to(self.folder):
            return False
        if path.name.startswith(ASIDE):
            return False
        if self.program is not None:
            inner = path.relative_to(self.folder)
            if not any(_fits(inner, pattern) for pattern in self.program.patterns()):
                return False
        return os.path.isfile(path)  # false where this user may not look


def _fits(inner: Path, pattern: str) -> bool:
    # A pattern fits the end of a path: other files lie deeper.
    is_there = "**" in pattern or len(inner.parts) == pattern.count("/") + 1
    return is_there and inner.match(pattern)


def is_subagent_file(path: Path) -> bool:
    """Return whether a file is the session of one subagent of Claude Code, by its name."""
    return path.name.startswith(SUBAGENT_FILE)


def find_places() -> list[Place]:
    """Return the folders of the programs that have one on this machine."""
    places = (Place(program.place(), program) for program in PROGRAMS.values())
    return [place for place in places if place.folder.is_dir()]


def program_of(path: Path) -> Program | None:
    """Return the program that wrote a file, by its first rows; ``None`` if it is none
    of these."""
    if path.name == "opencode.db":
        return PROGRAMS["opencode"]
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    for line in islice(head.split("\n"), HEAD_ROWS):
        row = parse_row(line) or {}
        if row.get("type") == "session_meta" and "payload" in row:
            return PROGRAMS["codex"]
        if "projectHash" in row and "sessionId" in row:
            return PROGRAMS["gemini_cli"]
        if row.get("type") == "session.start" and "data" in row:
            return PROGRAMS["copilot_cli"]
        if "sessionId" in row and "type" in row:
            return PROGRAMS["claude_code"]
    if '"projectHash"' in head and '"sessionId"' in head:
        return PROGRAMS["gemini_cli"]
    return None


def name_of(path: Path, program: Program) -> str:
    """Return the name of a session: that of its file, or of its folder."""
    return path.parent.name if program.id == "copilot_cli" else path.stem
