"""The programs whose sessions can be watched: the folders and names of their files, and the
preset that compacts as they do. ``memviz watch`` looks for these folders, and ``folders`` asks
which program a file is of."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memviz.transcripts.growing import parse_row

HEAD_BYTES = 200_000
HEAD_ROWS = 5
"""The beginning of a file in which the program is recognised."""

SUBAGENT_FILE = "agent-"
"""The beginning of the names of files that hold the session of one subagent of Claude Code."""
ASIDE = ("agent-acompact-", "agent-aprompt_suggestion-")
"""Files of Claude Code's helpers, which repeat a session to compact it or to suggest a prompt."""
SUFFIXES = (".jsonl", ".json", ".db")
"""The endings of session files. Temporary files of programs and editors have others."""


@dataclass(frozen=True)
class Program:
    """A program that writes its sessions into a folder."""

    id: str
    title: str
    folder: str
    """The default folder of its sessions, below the home folder."""
    variable: str
    """The environment variable that names another folder, and the path below that."""
    below: str
    pattern: str
    """The pattern of its session files within the folder."""
    preset: str
    """The preset that compacts as the program does; empty if its rule is not known."""
    subagents: str = ""
    """The pattern of the session files of subagents, if it is another one."""

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
"""All programs by their id, in the order in which their folders are looked for."""


@dataclass(frozen=True)
class WatchedFolder:
    """A folder to watch. Without a ``program`` each file shows which program wrote it."""

    folder: Path
    program: Program | None = None

    def sessions(self) -> Iterator[Path]:
        """Yield the session files in the folder."""
        patterns = ["**/*"]
        if self.program is not None:
            patterns = self.program.patterns()
        for pattern in patterns:
            yield from filter(self.is_session, self.folder.glob(pattern))

    def is_session(self, path: Path) -> bool:
        """Return whether a path is a session file by its place and name. A pipe is none:
        reading it would wait."""
        if path.suffix not in SUFFIXES or not path.is_relative_to(self.folder):
            return False
        if path.name.startswith(ASIDE):
            return False
        if self.program is not None:
            inner = path.relative_to(self.folder)
            if not any(
                _fits_pattern(inner, pattern) for pattern in self.program.patterns()
            ):
                return False
        return os.path.isfile(path)  # false where this user may not look


def _fits_pattern(inner: Path, pattern: str) -> bool:
    # A pattern fits the end of a path: other files lie deeper.
    is_there = "**" in pattern or len(inner.parts) == pattern.count("/") + 1
    return is_there and inner.match(pattern)


def is_subagent_file(path: Path) -> bool:
    """Return whether a file is the session of one subagent of Claude Code, by its name."""
    return path.name.startswith(SUBAGENT_FILE)


def find_places() -> list[WatchedFolder]:
    """Return the folders of the programs that have one on this machine."""
    places = (WatchedFolder(program.place(), program) for program in PROGRAMS.values())
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
