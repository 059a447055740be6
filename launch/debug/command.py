"""A row of the table of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from launch.debug.debugger import Debugger
from launch.debug.words import Words

Completions = Callable[[Debugger, list[str]], Iterable[str]]  # of the next word, after those that are there


def nothing(debugger: Debugger, words: list[str]) -> Iterable[str]:
    """No completions."""
    return ()


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name, grammar and function.

    `run` gets the words behind the name, or with `raw` the text as it is, and gives lines. `moves`: it lets the chip
    run. `repeats`: an empty line at a terminal runs it once more.
    """

    name: str
    aliases: tuple[str, ...]
    grammar: str
    summary: str
    run: Callable[..., Iterator[str]]
    details: str = ""
    complete: Completions = nothing
    raw: bool = False
    moves: bool = False
    repeats: bool = False

    @property
    def usage(self) -> str:
        """The name of the command and its grammar."""
        return f"{self.name} {self.grammar}".rstrip()

    def start(self, debugger: Debugger, text: str) -> Iterator[str]:
        """Run it with the text behind its name; raises InputError."""
        return self.run(debugger, text if self.raw else Words(text, self.usage))
