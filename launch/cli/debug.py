"""`emu debug`: step through the programs of a compiled network, forwards and backwards."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from launch.cli import signals
from launch.cli.answering import answers, json_wanted
from launch.cli.choices import GoldenType
from launch.cli.given import refuse_given
from launch.cli.input_option import initial_option, input_option
from launch.cli.lines import say
from launch.cli.models import of_models
from launch.cli.option_fields import options_of
from launch.cli.options import NATURAL, reject_unsupported_options
from launch.cli.text_lines import PROGRAMS_OR_MODEL, located
from launch.cli.values import FILE
from launch.processes.options import RunOptions
from launch.text.answer import Answer

MAX_SCRIPT = 1 << 20  # bytes
STDIN = "standard input"


@click.command(
    short_help="Step through a compiled network, forwards and backwards.",
    epilog="""\b
Examples:
  emu debug out/lenet
  emu debug out/lenet --script where.emu --model lenet.onnx
  emu debug out/lenet --seed 7 --flow credits:2

\b
A script, and what is typed:
  break node conv2               stop where a core comes to ONNX node conv2
  continue
  where                          instruction, operands, loops
  show conv1
  print max(abs(tensor("conv1") - golden("conv1")))
  back 3
`help` lists all commands; docs/debugger.md has a session.""",
)
@click.argument("out", type=PROGRAMS_OR_MODEL)
@input_option
@click.option("--stateful", is_flag=True, help="Samples are steps: each reads the states that the one before has made.")
@initial_option
@click.option("--seed", type=NATURAL, metavar="N", help="Random inputs of this seed instead of the stored ones.")
@click.option(
    "--model", type=FILE, help="The ONNX file that was compiled: computes golden values that the image lacks."
)
@click.option("--golden", type=GoldenType(), help="Source of golden values, as in `emu launch`.")
@options_of(RunOptions, "flow")
@options_of(RunOptions, "hosts", hosts={"hidden": True})
@click.option("--script", type=FILE, help="Run the commands of this file, then end (without: those of standard input).")
@answers()
@of_models("out", golden=True)
def command(out: Path, script: Path | None, **options: Any) -> Answer:
    """Run the programs of OUT, a directory or assembly text, one instruction at a time, all cores in turns.

    A network in the place of OUT is compiled first, as emu compile does it.

    At a terminal it asks for commands. From a script or a pipe, the first command that fails ends it.

    Exit code 0, or for where the program stands in the end: 1: an output was never stored; 3: a core has
    trapped; 4: deadlock. 2: bad usage or input, or a command of a script failed.
    """
    refuse_given("hosts", "is for cores that are processes; the debugger runs all of them here, with the same bits")
    del options["hosts"]
    reject_unsupported_options(options)
    if options["initial"] and not options["stateful"]:
        raise click.UsageError("--initial is about states: keep them by --stateful, too")
    typed = script is None and sys.stdin is not None and sys.stdin.isatty()
    if json_wanted() and typed:
        raise click.UsageError("--json tells what commands of a script answered: give --script FILE, or a pipe")
    from launch.debug.shell import Shell
    from launch.debug.start import started
    from launch.debug.terminal import Interrupt, talk

    interrupt = Interrupt()
    with started(out, options, interrupt.asked) as debugger:
        shell = Shell(debugger)
        if typed:
            talk(shell, interrupt, signals.interrupts_to, _echo, _complain)
        else:
            shell.run_script(_lines(script), str(script or STDIN), _silent if json_wanted() else _echo)
        if not json_wanted():  # all is said
            return Answer({}, exit_code=debugger.exit_code)
        from launch.debug.record import record

        return Answer(record(shell), exit_code=debugger.exit_code)


def _lines(script: Path | None) -> Iterable[str]:
    """The lines of the script; raises InputError for what is no text."""
    from emu.errors import InputError
    from emu.files import read_text

    if script is not None:
        return read_text(script, MAX_SCRIPT, InputError).splitlines()
    if sys.stdin is None:
        raise InputError("standard input is closed: give --script FILE")
    return _typed_lines()


def _typed_lines() -> Iterable[str]:
    from emu.errors import InputError

    try:
        yield from sys.stdin
    except UnicodeDecodeError:
        raise InputError("standard input is no text: give commands, one a line") from None


def _echo(text: str) -> None:
    click.echo(located(text))


def _complain(sentence: str) -> None:
    say(f"error: {sentence}")


def _silent(line: str) -> None:
    """Say nothing: the lines are in the record."""
