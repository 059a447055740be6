"""The table of the commands of the debugger, from which help, completion and documentation are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from emu.errors import InputError
from emu.wording import nearest
from launch.debug import completing, listing, looking, moving, showing, stopping
from launch.debug.command import Command
from launch.debug.debugger import Debugger
from launch.debug.expression import FUNCTIONS, METHODS
from launch.debug.spots import BYTES
from launch.debug.words import Words

_ABOUT_SPOTS = f"""SPOT is one or several of these, all of which must hold for an instruction that is about to begin:
  core N                    it is one of core N
  main:12, init:3           its section and index, as errors and `list` give it; main:12@2,0: in iteration 2 of the
                            outermost loop around it and 0 of the next one
  node NAME                 the core comes to ONNX node NAME from another one
  sample K, sample init     it runs in sample K, or in `init`
  read BYTES, write BYTES, access BYTES    it reads or writes there; BYTES is {BYTES}
  message FROM:TO[:K]       it sends message K (counted from 0 since power-on) of core FROM to core TO; * is any core
  if EXPRESSION             at the end: it is true, as `print` computes it with that core in focus"""
_ABOUT_PRINT = f"""Functions that look at the chip:
  tensor("NAME")            a tensor of this sample in its logical shape, as it was when it became complete
  now("NAME")               what stands in its place now, which may be another tensor's
  golden("NAME")            its golden value
  mem(CORE, ADDRESS, COUNT, "TYPE"), mem("global", ...)    elements of a memory
  reg(CORE, N), crossbar(CORE, GROUP), counters()          a register, weights, the counters of the loops around
and of NumPy (np.max and max are the same): {", ".join(FUNCTIONS)}.
Arrays have .shape .size .ndim .dtype .T and the methods {", ".join(METHODS)}."""


def _commands(debugger: Debugger, words: list[str]) -> Iterable[str]:
    return [row.name for row in COMMANDS]


def _help(debugger: Debugger, words: Words) -> Iterator[str]:
    name = words.take("the command") if words.left else ""
    words.end()
    return help_lines(name)


def _quit(debugger: Debugger, words: Words) -> Iterator[str]:
    words.end()
    debugger.over = True
    return iter(())


COMMANDS = (
    Command(
        "step",
        ("s",),
        "[N]",
        "run N instructions (default 1) of the core in focus",
        moving.step,
        moves=True,
        repeats=True,
        details="The other cores take their turns meanwhile. A core that waits is stepped to its next instruction.",
    ),
    Command(
        "next",
        ("n",),
        "",
        "as step, but run a loop that was just entered as a whole",
        moving.next_,
        moves=True,
        repeats=True,
    ),
    Command(
        "leave",
        ("finish",),
        "",
        "run until the core in focus has left the innermost loop around it",
        moving.leave,
        moves=True,
    ),
    Command(
        "continue",
        ("c",),
        "",
        "run until a breakpoint holds, a core traps, or to the end",
        moving.proceed,
        moves=True,
        repeats=True,
        details="Ctrl-C stops it. After a trap it lets the other cores go on until none can.",
    ),
    Command(
        "until",
        ("u",),
        "SPOT [if EXPRESSION]",
        "continue to a place, once",
        moving.until,
        _ABOUT_SPOTS,
        completing.spots,
        moves=True,
    ),
    Command(
        "run",
        ("r",),
        "SAMPLE",
        "run, or go back, to the begin of a sample",
        moving.run,
        moves=True,
        details="Samples count from 0; what comes before sample 0 is `init` of all cores.",
    ),
    Command(
        "back",
        ("bk",),
        "[N|stop]",
        "go back N instructions (default 1) of the core in focus, or to the stop before",
        moving.back,
        moves=True,
        complete=lambda debugger, words: ["stop"],
        repeats=True,
        details="The chip is put back to a saved moment and run again from there, which gives the same turns again.",
    ),
    Command("core", (), "N", "put core N in focus, which commands are about", moving.core, complete=completing.cores),
    Command(
        "break",
        ("b", "br"),
        "SPOT [if EXPRESSION]",
        "stop wherever a place is reached",
        stopping.break_,
        _ABOUT_SPOTS,
        completing.spots,
    ),
    Command(
        "watch",
        (),
        f"[read|write|access] {BYTES} [if EXPRESSION]",
        "stop before bytes are written (read: read, access: both)",
        stopping.watch,
        complete=completing.watched,
        details="The bytes of a tensor are those of all buffers that hold it; others may use them before and after.",
    ),
    Command("delete", ("d",), "[N]", "remove breakpoint N, or all", stopping.delete, complete=completing.breakpoints),
    Command(
        "where",
        ("w", "bt"),
        "[CORE]",
        "the instruction with its operands, and the loops around it, innermost first",
        looking.where,
        complete=completing.cores,
    ),
    Command("list", ("l",), "[N]", "the program around the core in focus, N instructions on both sides", looking.list_),
    Command(
        "disasm",
        (),
        "[CORE] [init|main]",
        "the program of a core as assembly text",
        looking.disasm,
        complete=completing.programs,
    ),
    Command(
        "show",
        (),
        "TENSOR [now]",
        "a tensor in its logical layout, by its name or that of its node",
        showing.show,
        complete=lambda debugger, words: ["now"] if words else debugger.tensors.names,
        details="As it was when it became complete; with `now`, what stands in its place now.",
    ),
    Command(
        "print",
        ("p",),
        "EXPRESSION",
        "the value of an expression in NumPy over tensors, memories and crossbars",
        showing.print_,
        _ABOUT_PRINT,
        completing.expressions,
        raw=True,
    ),
    Command(
        "mem",
        ("x",),
        "CORE|global ADDRESS COUNT [TYPE]",
        "elements of a memory; -- are undefined",
        looking.mem,
        complete=completing.cores,
        details="TYPE is f32, f16, i8, u8 (default), i16, u16, i32, i64 or bool.",
    ),
    Command(
        "crossbar",
        ("xb",),
        "CORE GROUP",
        "the weights of an array group, rows x columns",
        looking.crossbar,
        complete=completing.cores,
    ),
    Command(
        "registers", ("regs",), "[CORE]", "the scalar registers of a core", looking.registers, complete=completing.cores
    ),
    Command("waits", (), "", "which core waits for which, and whether that is a deadlock", looking.waits),
    Command(
        "info",
        ("i",),
        "|".join(listing.LISTS),
        "lists of what there is",
        listing.info,
        complete=lambda debugger, words: listing.LISTS,
    ),
    Command("help", ("h",), "[COMMAND]", "the commands, or one of them at length", _help, complete=_commands),
    Command("quit", ("q", "exit"), "", "end the session", _quit),
)
BY_NAME = {name: row for row in COMMANDS for name in (row.name, *row.aliases)}


def command_of(name: str) -> Command:
    """The command of a name or alias, or the only one that begins so; raises InputError."""
    if name in BY_NAME:
        return BY_NAME[name]
    matching = [row for row in COMMANDS if row.name.startswith(name)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise InputError(f"{name!r} may be {', '.join(row.name for row in matching)}: write more of it")
    raise InputError(f"there is no command {name!r}{nearest(name, BY_NAME)}: see `help`")


def help_lines(name: str = "") -> Iterator[str]:
    """All commands in lines, or one of them at length; raises InputError for an unknown name."""
    if name:
        row = command_of(name)
        yield row.usage
        yield f"  {row.summary[0].upper()}{row.summary[1:]}."
        if row.aliases:
            yield f"  Short: {', '.join(row.aliases)}."
        yield from (f"  {line}" for line in row.details.splitlines())
        return
    width = max(len(row.usage) for row in COMMANDS if len(row.usage) < 40)
    for row in COMMANDS:
        usage = row.usage if len(row.usage) <= width else f"{row.name} ..."
        short = f" ({', '.join(row.aliases)})" if row.aliases else ""
        yield f"{usage.ljust(width)}  {row.summary}{short}"
    yield "A command may be shortened as long as it is clear which one is meant. `help COMMAND` says more."
