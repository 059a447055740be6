"""Where a core stands, as lines for people: the instruction, its operands as addresses and tensors, loops, waits."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from emu.asm.section_printer import print_instruction
from emu.core.trap import INIT_SAMPLE
from emu.debug.accesses import GLOBAL, OperandAccess, accesses
from emu.debug.chip import SteppedChip
from emu.debug.conditions import node_of
from emu.debug.loops import loop_places
from emu.program.form import Box, Form, box_shape
from emu.wording import counted
from launch.debug.debugger import Debugger


def sample_text(chip: SteppedChip) -> str:
    """The section that runs."""
    return "init" if chip.sample == INIT_SAMPLE else f"sample {chip.sample}"


def place_line(chip: SteppedChip, core: int) -> str:
    """One line: the core and the instruction that it stands on, as it is in the program."""
    trap = next((record for record in chip.scheduler.traps if record.core == core), None)
    section, index, counters, _ = chip.cores[core].position()
    if trap is None and chip.at_end(core):
        return f"core {core} has halted ({sample_text(chip)})"
    waits = chip.scheduler.waiting().get(core)
    instr = chip.instr(core)
    details = [sample_text(chip)] if chip.sample != INIT_SAMPLE else []
    details += [f"loops {list(counters)}"] if counters else []
    node = node_of(chip, core, instr)
    details += [f"node {node}"] if node else []
    how = "trapped at" if trap else "waits at" if waits else "at"
    about = f" ({', '.join(details)})" if details else ""
    return f"core {core} {how} {section}[{index}] {print_instruction(instr)}{about}"


def where_lines(debugger: Debugger, core: int) -> Iterator[str]:
    """The place, its operands, what it waits for, and the loops around it, the innermost first."""
    chip = debugger.chip
    yield place_line(chip, core)
    trap = next((record for record in chip.scheduler.traps if record.core == core), None)
    if trap is None and chip.at_end(core):
        return
    if trap is not None:
        yield f"  {trap.reason}{f', operand {trap.operand}' if trap.operand else ''}"
    for access in accesses(chip.cores[core].state):
        yield f"  {operand_text(debugger, access)}"
    instr = chip.instr(core)
    part = chip.programs[core].sources[instr.source].part if instr.source >= 0 else ""
    if part:
        yield f"  part: {part}"
    if instr.spec.crossbar is not None:
        group = chip.programs[core].groups[instr.arg0]
        yield f"  group {instr.arg0}: {group.rows} rows x {group.cols} columns of {group.weight.name}"
    waits = chip.scheduler.waiting().get(core)
    if waits is not None:
        yield f"  {waits}"
    section, index, counters, _ = chip.cores[core].position()
    for level, loop in enumerate(reversed(loop_places(chip.section(core), index, counters))):
        turn = f"iteration {loop.counter + 1} of {loop.trips} (counter {loop.counter})"
        yield f"  #{level} in {section}[{loop.index}] loop i{len(counters) - 1 - level}: {turn}"


def operand_text(debugger: Debugger, access: OperandAccess) -> str:
    """Role, bytes, elements, and the tensor whose bytes they are."""
    slot = access.slot
    role = {(True, False): "reads", (False, True): "writes", (True, True): "updates"}[slot.read, slot.write]
    where = "global" if access.space == GLOBAL else "local"
    kind = counted(slot.count, "byte") if slot.dtype.name == "uint8" else f"{slot.count} x {slot.dtype.name}"
    found = tensor_at(debugger, access)
    return f"{role} {slot.role}: {where} {access.low:#06x} to {access.high:#06x}, {kind}{f', {found}' if found else ''}"


def tensor_at(debugger: Debugger, access: OperandAccess) -> str:
    """The tensor and element that an operand begins with, such as `y[0, 3, 0, 2]`; empty if none stands there."""
    chip, manifest = debugger.chip, debugger.image.manifest
    if access.space == GLOBAL:
        for spec in (*manifest.inputs, *manifest.outputs):
            for tile, (low, high) in zip(spec.tiles, spec.ranges, strict=True):
                if low <= access.address < high:
                    return _element(spec.name, spec.form, tile.box, (access.address - low) // spec.dtype.size)
        fixed = (spec for spec in manifest.read_only if spec.address <= access.address < spec.end)
        return next((f"{spec.name} (read-only)" for spec in fixed), "")
    if chip.sample == INIT_SAMPLE or not access.slot.count:
        return ""
    _, index, _, _ = chip.cores[access.space].position()
    owners = debugger.owners(access.space)
    look = owners.written_by if access.slot.write else owners.read_by
    buffer = look(index, access.address)
    if buffer is None:
        return ""
    return _element(buffer.tensor, buffer.form, buffer.box, (access.address - buffer.address) // buffer.dtype.size)


def _element(name: str, form: Form, box: Box, offset: int) -> str:
    """The tensor with the logical index of element `offset` of a box of it."""
    at: dict[str, int] = {}
    rest, size = offset, prod(box_shape(box))
    for axis, (low, high) in zip(form.names, box, strict=True):
        size //= high - low
        at[axis], rest = low + rest // size, rest % size
    index: list[int] = []
    for part in form.layout:
        place = 0
        for axis in part:
            place = place * form.size(axis) + at[axis]
        index.append(place)
    return f"{name}{index}"
