"""Runs commands of the debugger: lines of a script, or what is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from emu.errors import InputError
from launch.debug.debugger import Debugger
from launch.debug.table import COMMANDS, command_of

PROMPT = "(emu) "
COMMENT = "#"


class ScriptError(InputError):
    """A command of a script that failed: file, line and why (exit code 2)."""


class Shell:
    """Takes one line after the other; `history` is the record of all that were run, for JSON."""

    def __init__(self, debugger: Debugger) -> None:
        self.debugger = debugger
        self.history: list[dict[str, Any]] = []
        self._again = ""  # the line that an empty one repeats

    def execute(self, line: str) -> Iterator[str]:
        """The lines that a command answers with; raises InputError."""
        name, _, rest = line.strip().partition(" ")
        row = command_of(name)
        self._again = line if row.repeats else ""
        return row.start(self.debugger, rest.strip())

    def moves(self, line: str) -> bool:
        """Whether the command lets the chip run; raises InputError for an unknown one."""
        return command_of(line.split()[0]).moves

    def repeated(self, line: str) -> str:
        """The line itself; if it is empty, the last one, if that is of a command that repeats."""
        return line if line.strip() else self._again

    def run_script(self, lines: Iterable[str], name: str, say: Callable[[str], None]) -> None:
        """Run the lines of a script, each after its prompt; raises ScriptError at the first one that fails."""
        for number, line in enumerate(lines, 1):
            command = line.strip()
            if not command or command.startswith(COMMENT):
                continue
            say(f"{PROMPT}{command}")
            record: dict[str, Any] = {"line": number, "command": command, "output": []}
            self.history.append(record)
            try:
                for answer in self.execute(command):
                    record["output"].append(answer)
                    say(answer)
            except InputError as error:
                failed = ScriptError(f"{name}:{number}: {error}")
                failed.details = {"line": number, "commands": self.history[:-1]}
                raise failed from None
            if self.debugger.over:
                return

    def completions(self, before: str, begun: str) -> list[str]:
        """What may stand where `begun` stands, behind the text `before` it."""
        words = before.split()
        if not words:
            known: Iterable[str] = (row.name for row in COMMANDS)
        else:
            try:
                row = command_of(words[0])
            except InputError:
                return []
            known = row.complete(self.debugger, words[1:])
        return sorted({word for word in known if word.startswith(begun)})
