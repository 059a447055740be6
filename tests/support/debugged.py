"""Program sets under a debugger: as subjects, and all that a moment of their run consists of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from emu.asm.program_set import ProgramSet
from emu.asm.set_parser import parse_program_set
from emu.debug.chip import SteppedChip
from emu.debug.subject import DebugSubject
from emu.image.layout import to_tiles

# Registers, loops in loops, written crossbars, kept state, events, a buffer: what a moment may consist of.
RICH = """arch tiny
input "x" i32[1, 4] at 0x00
output "y" i32[1, 4] at 0x10
core 0 {
  group 0 i8.i8.i32 rows 2 cols 2 weights [[1, 2], [3, 4]]
  data 0x0100 hex "0102030405060708"
  state 0x0200 size 8
  init {
    lldi l[0x200], 0, 8
    sync core 1, event 0
  }
  main {
    @ "begin"
    ld l[0x00], g[0x00], 16
    sldi r1, 0
    loop a 3 {
      loop b 2 {
        @ "inner"
        vsadd.i32 l[0x00 + 4*b], l[0x00 + 4*b], 2, 1
        saddi r1, r1, 1
        lmv l[0x40 + r1], l[0x00], 4
      }
      xbwrite.i8 l[0x100 + a], group 0, row 0, rows 1
      mvmul.i8.i32 l[0x80], l[0x102], group 0
      send core 1, l[0x80], 8
    }
    loop none 0 {
      nop
    }
    @ "end"
    vsadd.i32 l[0x200], l[0x200], 2, 3
    send core 1, l[0x200], 8
    halt
  }
}
core 1 {
  main {
    wait event 0, 1
    lldi l[0x00], 0, 16
    loop c 3 {
      recv core 0, l[0x20], 8
      vvadd.i32 l[0x00], l[0x00], l[0x20], 2
    }
    recv core 0, l[0x08], 8
    st g[0x10], l[0x00], 16
  }
}
"""


def rich_set() -> ProgramSet:
    """The set of `RICH`."""
    return parse_program_set(RICH, "rich", lambda name: b"")


def subject_of_set(programs: ProgramSet, samples: int = 2, seed: int = 0) -> DebugSubject:
    """What is debugged: the set with random inputs."""
    rng = np.random.default_rng(seed)
    given = [
        [rng.integers(-9, 9, spec.shape).astype(spec.dtype.numpy) for spec in programs.inputs] for _ in range(samples)
    ]

    def inputs(sample: int, before: Sequence[bytes]) -> list[tuple[int, bytes]]:
        arrays = zip(programs.inputs, given[sample], strict=True)
        return [(address, tile.tobytes()) for spec, array in arrays for address, tile in to_tiles(spec, array)]

    return DebugSubject(
        programs.arch,
        {core.program.core: core.program for core in programs.cores},
        {
            core.program.core: [_padded(*pair) for pair in zip(core.program.groups, core.weights, strict=True)]
            for core in programs.cores
        },
        programs.global_size,
        samples,
        inputs,
        programs.outputs,
    )


def _padded(spec, values) -> np.ndarray:
    array = np.zeros((spec.rows, spec.padded_cols), spec.weight.numpy)
    array[:, : spec.cols] = values
    return array


def state_of(chip: SteppedChip) -> tuple:
    """Everything that counts at a moment: two runs that agree in it cannot be told apart."""
    cores = []
    for core in chip.cores.values():
        state, memory = core.state, core.memory
        ranges = memory.known.ranges()
        content = b"".join(bytes(memory.window(low, high)) for low, high in ranges)
        weights = tuple(group.content().tobytes() for group in state.groups)
        cores.append((core.position(), tuple(state.registers), tuple(ranges), content, weights))
    scheduler = chip.scheduler
    waiting = tuple(edge.edge for edge in scheduler.waiting().values())
    memory = chip.memory
    stored = (
        None if memory is None else (tuple(memory.unwritten([(0, memory.size)])), memory.collect([(0, memory.size)])[0])
    )
    channels = {
        pair: (channel.sent, channel.taken, [(sample, bytes(data)) for sample, data in channel.waiting])
        for pair, channel in chip.fabric.save().channels.items()
        if channel.sent
    }
    events = repr(sorted(chip.fabric.save().events.items()))
    taken = tuple(sorted(chip.captures.items()))
    return (
        chip.turns, chip.sample, tuple(cores), waiting, scheduler.upcoming, tuple(sorted(scheduler.running)), stored,
        repr(channels), events, taken, tuple(chip.begun.items()), tuple(chip.last.items()),
    )  # fmt: skip


Visit = tuple[int, int, int, tuple[int, ...]]  # core, sample, index, counters


@dataclass
class Plain:
    """A run without a debugger: the state after each turn, what each instruction begun was, how it ended."""

    states: list
    visits: list[Visit]
    chip: SteppedChip


def visit(chip: SteppedChip, core: int) -> Visit:
    """Where `core` stands."""
    _, index, counters, _ = chip.cores[core].position()
    return core, chip.sample, index, counters


def run_plain(subject: DebugSubject, flow: str = "rendezvous") -> Plain:
    """Take all turns, one after the other."""
    chip = SteppedChip(subject, flow)
    states, visits = [state_of(chip)], []
    while chip.ending is None:
        begins = chip.about_to_begin()
        if begins is not None:
            visits.append(visit(chip, begins))
        chip.advance()
        if chip.ending is None:
            states.append(state_of(chip))
    return Plain(states, visits, chip)
