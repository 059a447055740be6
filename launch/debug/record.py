"""A session of a script as plain values, for --json."""

from __future__ import annotations

from typing import Any

from emu.debug.conditions import node_of
from launch.debug.shell import Shell


def record(shell: Shell) -> dict[str, Any]:
    """The answer of each command, the final state of the chip, and how the run has ended, if it has."""
    debugger = shell.debugger
    ending = debugger.chip.ending
    return {
        "out": str(debugger.image.path),
        "commands": shell.history,
        "stop": _stop(shell),
        "ending": None if ending is None else {"end": ending.end.value, "text": ending.text},
        "exit_code": debugger.exit_code,
    }


def _stop(shell: Shell) -> dict[str, Any]:
    session, chip = shell.debugger.session, shell.debugger.chip
    section, index, counters, _ = chip.cores[session.focus].position()
    instr = chip.section(session.focus).instr(index) if index < len(chip.section(session.focus)) else None
    return {
        "why": session.stop.why.value,
        "core": session.focus,
        "sample": chip.sample,
        "section": section,
        "index": index,
        "counters": list(counters),
        "instruction": instr.text if instr else "",
        "node": node_of(chip, session.focus, instr) if instr else "",
        "breakpoints": list(session.stop.numbers),
    }
