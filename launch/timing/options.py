"""What `emu time` is asked for, beside its subject."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.options import Flag, Text, Whole, Word, given, opt, specs
from launch.processes.options import RunOptions


@dataclass(frozen=True, slots=True)
class TimeOptions:
    """One field per option of the command; None or False where it is not given."""

    arch: str | None = opt(
        None,
        Text("CHIP"),
        "The chip: a preset's name or a TOML file with a table [timing] (default: the one that OUT was compiled for);"
        " for PROGRAM the configuration of pimsim-nn, JSON.",
    )
    samples: int | None = opt(
        None, Whole(), "Samples back to back, the last two of which give the time per sample (default: 8)."
    )
    flow: str | None = opt(
        None,
        specs(RunOptions)["flow"].kind,
        "A send returns when the receiver took the data (default), or K messages per pair may wait.",
    )
    critical_path: bool = opt(
        False,
        Flag(),
        "Also tell which operations and messages decide the latency, by ONNX node, and the slack of the others.",
    )
    what_if: str | None = opt(
        None,
        Text("RESOURCE=+N|-N|free|Fx,..."),
        "Also tell what a sample would take with N more of each instance of a resource, or fewer, and if resources took"
        " no time, or F times of what they take: adc=+1,network=2x,dac=free.",
    )
    bottlenecks: bool = opt(
        False,
        Flag(),
        "Also tell which components bound latency, time per sample, energy and area, and what a sample would take with"
        " each resource free in turn, and with more of it.",
    )
    peak_power: bool = opt(False, Flag(), "Also show the peak power, and the most crossbars at work at a time.")
    trace: Path | None = opt(
        None,
        Text("FILE"),
        "Also write the first sample as a trace: units and nodes of every core, messages as arrows; .pftrace for"
        " Perfetto, .json or .json.gz in Chrome's format.",
    )
    simulator: str | None = opt(
        None,
        Word(table="emu.interop.pim_isa.timing.setup:SIMULATORS"),
        "Of PROGRAM: by the rules of pimsim-nn (upstream, the default), or of its fork, where a wait ends from its"
        " value on.",
    )
    executor: str | None = opt(
        None,
        Word(table="emu.interop.pim_isa.timing.time_program:EXECUTORS"),
        "Of PROGRAM: cycle by cycle, what ends together in the simulator's order or close to it (step); or from message"
        " to message, first come first served, for a window (rob_size) of 1 (fast); auto, the default: the former for"
        " up to 300000 instructions.",
    )
    details: bool = opt(
        False, Flag(), "Also print the tables: energy by component, nodes, units, waits, cores by finish.", short="-v"
    )  # of any subject

    def given(self) -> dict[str, Any]:
        """The options that are given, by the name of their field."""
        return given(self)
