"""What a program may ask of a chip: every number is checked here once, so that nothing later meets a surprise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.errors import ProgramError
from emu.interop.pim_isa.format.config import ChipConfig
from emu.interop.pim_isa.format.program import CoreColumns, PimProgram
from emu.interop.pim_isa.isa import BY_CODE, EVENTS, REGISTERS, UNIT_OF, PimUnit, among, having

MAX_BYTES = (1 << 31) - 1  # of one access: the simulator counts them in 32 bits
MAX_BITS = 1 << 16  # of an element

Fault = tuple[np.ndarray, str, str]  # where it holds, the key, what is wrong ({} is the value)


def check_program(program: PimProgram, chip: ChipConfig, pairs: bool = True) -> list[str]:
    """Raise ProgramError at the first instruction that the chip cannot run; else sentences about what is strange.

    `pairs`: addresses of global memory are in two registers.
    """
    for core, columns in program.cores.items():
        for wrong, key, what in (*_faults(program, core, columns), *(_pairs(columns) if pairs else ())):
            places = np.flatnonzero(wrong)
            if len(places):
                _refuse(program, core, columns, int(places[0]), key, what)
    return list(_strange(program, chip))


def element_bytes(columns: CoreColumns) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Per instruction the widths that the last `setbw` before it set: input bits, output bits, the bytes of both."""
    places = np.arange(columns.count)
    last = np.maximum.accumulate(np.where(among(columns.op, "setbw"), places, -1)) if columns.count else places
    bits = [np.where(last >= 0, width[last], 0).astype(np.int64) for width in (columns.ibiw, columns.obiw)]
    return bits[0], bits[1], -(-bits[0] // 8), -(-bits[1] // 8)


def _faults(program: PimProgram, core: int, columns: CoreColumns) -> Iterator[Fault]:
    op = columns.op
    unit = UNIT_OF[op]
    yield among(op, "nop"), "op", "a nop: pimsim-nn ends at it; leave it out"
    groups = len(program.groups[core])
    yield from _matrix(columns, among(op, "mvmul"), groups)
    widths = among(op, "setbw")
    for key in ("ibiw", "obiw"):
        bits = getattr(columns, key)
        yield widths & ((bits < 0) | (bits > MAX_BITS)), key, f"{{}} is no width from 0 to {MAX_BITS} bits"
    yield from _sizes(columns, unit)
    known = np.isin(columns.core, list(program.cores))
    yield having(op, "core") & ~known, "core", "core {} is not in the program"
    events = (columns.event_register < 0) | (columns.event_register >= EVENTS)
    yield having(op, "event_register") & events, "event_register", f"{{}} is no event register from 0 to {EVENTS - 1}"


def _matrix(columns: CoreColumns, products: np.ndarray, groups: int) -> Iterator[Fault]:
    if groups == 0:
        yield products, "group", "array group {}: config.array_group_map has no groups for this core"
    wrong = (columns.group < 0) | (columns.group >= groups)
    yield products & wrong, "group", f"array group {{}}: the core has groups 0 to {groups - 1}"
    yield products & (columns.mbiw <= 0), "mbiw", "{} is no width of a weight in bits"


def _sizes(columns: CoreColumns, unit: np.ndarray) -> Iterator[Fault]:
    op = columns.op
    lengths, sizes = having(op, "len"), having(op, "size")
    yield lengths & (columns.len < 0), "len", "{} is no length"
    yield sizes & (columns.size < 0), "size", "{} is no number of bytes"
    _, _, inputs, outputs = element_bytes(columns)
    total = columns.len * np.maximum(inputs, outputs)
    yield (unit == PimUnit.VECTOR) & (total > MAX_BYTES), "len", "{} elements are more than 2^31 bytes"


def _pairs(columns: CoreColumns) -> Iterator[Fault]:
    """Of `ld` and `sld` rs1, of `st` rd are two registers: the named one and the next."""
    for key, names in (("rs1", ("ld", "sld")), ("rd", ("st",))):
        wrong = getattr(columns, key) >= REGISTERS - 1
        yield among(columns.op, *names) & wrong, key, "register {} begins no pair: there is no next one"


def _refuse(program: PimProgram, core: int, columns: CoreColumns, place: int, key: str, what: str) -> None:
    name = BY_CODE[int(columns.op[place])].name
    value = name if key == "op" else int(getattr(columns, key)[place])
    raise ProgramError(f"{program.where}: core {core}, instruction {place} ({name}), key {key!r}: {what.format(value)}")


def _strange(program: PimProgram, chip: ChipConfig) -> Iterator[str]:
    if (highest := max(program.cores)) >= chip.core_cnt:
        yield f"core {highest} is beyond chip_config.core_cnt = {chip.core_cnt} of the configuration"
    there = chip.core_config.matrix_config.xbar_array_count
    for core, groups in program.groups.items():
        if sum(groups) > there:
            yield f"the array groups of core {core} have {sum(groups)} crossbars, a core of the chip has {there}"
            return
