"""Programs that are named by their assembly text: assembled for the command at work, which then speaks of its lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from launch.cli.values import FLOW, MODELS, ImagePath

SUFFIX = ".asm"
_META = "text lines"  # of the context: what this command was given in place of programs
Lines = Mapping[int, Mapping[str, Sequence[int]]]  # of instructions, by core and section
_PLACES = re.compile(
    r"\b(?P<object>(?:from|to|of|until|by|for|with) )?core (?P<core>\d+)\b|\b(?P<section>init|main)\[(?P<index>\d+)\]"
)


@dataclass(frozen=True, slots=True)
class TextLines:
    """A text that is assembled in the folder `out`, and the lines of its instructions by core and section."""

    text: Path
    out: Path
    cores: Lines

    def renamed(self, output: str) -> str:
        """`output` with the name of the text in place of the folder's."""
        return output.replace(str(self.out), str(self.text))

    def located(self, output: str) -> str:
        """`output` with the line of the text behind every place: `main[1] (a.asm:7)`.

        A place is of the core that the sentence is about there: the last one before it that is not one from, to or of
        which something is; if there is none, that of these.
        """
        subject = other = -1

        def line(found: re.Match[str]) -> str:
            nonlocal subject, other
            if found["core"]:
                other = int(found["core"])
                subject = subject if found["object"] else other
                return found[0]
            lines = self.cores.get(subject if subject >= 0 else other, {}).get(found["section"], ())
            index = int(found["index"])
            return f"{found[0]} ({self.text.name}:{lines[index]})" if index < len(lines) else found[0]

        return _PLACES.sub(line, self.renamed(output))


class ProgramsPath(ImagePath):
    """A directory with programs, or their assembly text, which is assembled into a folder of this command's.

    With `models` it may be a network, with `flows` a meta-operator flow: these stay what they are.
    """

    def __init__(self, models: bool = False, flows: bool = False) -> None:
        super().__init__()
        self._others = (*(MODELS if models else ()), *((FLOW,) if flows else ()))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The directory; raises ProgramError for a wrong text."""
        path = Path(value)
        if path.suffix in self._others and path.is_file():
            return path
        if ctx is None or ctx.resilient_parsing or path.suffix != SUFFIX or not path.is_file():
            return super().convert(value, param, ctx)
        from emu.asm.assembler import assemble_set, read_program_set
        from emu.output.scratch import ScratchFolder

        programs = read_program_set(path)
        with ExitStack() as stack:
            out = stack.enter_context(ScratchFolder("asm")) / path.stem
            assemble_set(programs, path, out)
            ctx.call_on_close(stack.pop_all().close)
        named_as(ctx, path, out, {core.program.core: core.lines for core in programs.cores})
        return out


PROGRAMS, PROGRAMS_OR_FLOW = ProgramsPath(), ProgramsPath(flows=True)
PROGRAMS_OR_MODEL, ANY_PROGRAMS = ProgramsPath(models=True), ProgramsPath(models=True, flows=True)


def named_as(ctx: click.Context, path: Path, out: Path, cores: Lines = MappingProxyType({})) -> None:
    """From now on the command at work calls the folder `out` as what it is of, the file `path`."""
    ctx.meta.setdefault(_META, []).append(TextLines(path, out, cores))


def of_command() -> list[TextLines]:
    """The files that were made programs for the command at work."""
    context = click.get_current_context(silent=True)
    found: list[TextLines] = context.meta.get(_META, []) if context is not None else []
    return found


def located(output: str) -> str:
    """Output for people, with the lines of the text behind places."""
    return reduce(lambda text, lines: lines.located(text), of_command(), output)


def renamed(output: str) -> str:
    """Output for programs, with the names of the files that were given."""
    return reduce(lambda text, lines: lines.renamed(text), of_command(), output)
