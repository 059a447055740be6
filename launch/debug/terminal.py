"""The debugger at a terminal: a prompt with history and completion, and Ctrl-C that stops what runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import ModuleType

from emu.errors import InputError
from launch.debug.moving import stop_lines
from launch.debug.shell import COMMENT, PROMPT, Shell
from launch.system.state_folder import state_folder

HISTORY = "debug_history"
LONGEST = 1000  # lines of history
DELIMITERS = " \t\n()\"',"  # names of nodes may hold anything else


class Interrupt:
    """The handling of Ctrl-C: it interrupts a command, but a running chip stops only between two turns.

    `asked` is for the session, and `on_signal` for the signal handler.
    """

    def __init__(self) -> None:
        self._noted = self._asked = False

    def asked(self) -> bool:
        """Whether the chip is to stop."""
        return self._asked

    @contextmanager
    def noted(self) -> Generator[None]:
        """A context in which Ctrl-C sets `asked`; outside it raises KeyboardInterrupt."""
        self._noted = True
        try:
            yield
        finally:
            self._noted = self._asked = False

    def on_signal(self) -> None:
        """Ctrl-C was pressed."""
        if not self._noted:
            raise KeyboardInterrupt
        self._asked = True


def history_file() -> Path:
    """The file of the history of typed lines."""
    return state_folder() / HISTORY


def talk(
    shell: Shell,
    interrupt: Interrupt,
    hearing: Callable[[Callable[[], None]], AbstractContextManager[None]],
    say: Callable[[str], None],
    complain: Callable[[str], None],
) -> None:
    """Run what is typed until the end of input or `quit`; `hearing` hands Ctrl-C to a function while it is open."""
    with _readline(shell), hearing(interrupt.on_signal):
        for line in stop_lines(shell.debugger):
            say(line)
        say("`help` lists the commands")
        while not shell.debugger.over:
            try:
                line = shell.repeated(input(PROMPT))
                if line.strip() and not line.strip().startswith(COMMENT):
                    _answer(shell, line, interrupt, say)
            except KeyboardInterrupt:
                say("")
            except EOFError:
                say("")
                return
            except InputError as error:
                complain(str(error))


def _answer(shell: Shell, line: str, interrupt: Interrupt, say: Callable[[str], None]) -> None:
    """Run what was typed; raises InputError, and KeyboardInterrupt for a command that moves nothing."""
    if not shell.moves(line):
        for answer in shell.execute(line):
            say(answer)
        return
    with interrupt.noted():
        answers = list(shell.execute(line))
    for answer in answers:
        say(answer)


@contextmanager
def _readline(shell: Shell) -> Generator[None]:
    """Inside of it, typed lines can be edited, completed and found again, if this Python can do that."""
    try:
        import readline
    except ImportError:
        yield
        return
    path = history_file()
    with contextlib.suppress(OSError):
        readline.read_history_file(path)
    readline.set_history_length(LONGEST)
    completer, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer_delims(DELIMITERS)
    readline.set_completer(_completer(readline, shell))
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(completer)
        readline.set_completer_delims(delimiters)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(path)


def _completer(readline: ModuleType, shell: Shell) -> Callable[[str, int], str | None]:
    def complete(begun: str, number: int) -> str | None:
        before = readline.get_line_buffer()[: readline.get_begidx()]
        found = shell.completions(before, begun)
        if len(found) == 1 and not before.strip():
            found = [f"{found[0]} "]  # of a command, whose words come next
        return found[number] if number < len(found) else None

    return complete
