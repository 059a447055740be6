"""Register writes and widths that change nothing are left out, and every other instruction finds what it would have."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from emu.interop.pim_isa.exporting.settled import Settled
from emu.interop.pim_isa.exporting.unroll import UnrolledPiece
from emu.interop.pim_isa.format.program import FIELDS, CoreColumns, dtype_of
from emu.interop.pim_isa.isa import CODES


def columns(rows):
    """Of rows (op, register or width, value)."""
    values = {name: np.zeros(len(rows), dtype_of(name)) for name in FIELDS}
    for place, (name, which, value) in enumerate(rows):
        values["op"][place] = CODES[name]
        if name == "sldi":
            values["rd"][place], values["imm"][place] = which, value
        elif name == "setbw":
            values["ibiw"][place], values["obiw"][place] = 8 * which, 8 * value
        else:
            values["len"][place] = value
    return CoreColumns(**values)


def effects(parts):
    """What each instruction beside them finds in registers and widths, and how many writes change nothing."""
    registers, widths, found, idle = {}, None, [], 0
    for part in parts:
        for op, rd, imm, ibiw, obiw, length in zip(
            *(getattr(part, name).tolist() for name in ("op", "rd", "imm", "ibiw", "obiw", "len")), strict=True
        ):
            if op == CODES["sldi"]:
                idle += registers.get(rd) == imm
                registers[rd] = imm
            elif op == CODES["setbw"]:
                idle += widths == (ibiw, obiw)
                widths = ibiw, obiw
            else:
                found.append((op, length, dict(registers), widths))
    return found, idle


ROWS = st.tuples(st.sampled_from(["sldi", "sldi", "setbw", "lldi"]), st.integers(0, 3), st.integers(-2, 2))


@given(st.lists(st.lists(ROWS, max_size=12), max_size=4))
def test_nothing_idle_stays_and_all_effects_do(pieces):
    parts = [columns(rows) for rows in pieces]
    settled = Settled()
    kept = [
        settled.without(UnrolledPiece(part, np.zeros((part.count, 2), np.uint8), np.arange(part.count)))
        for part in parts
    ]
    assert all(len(piece.types) == piece.columns.count for piece in kept)
    found, idle = effects([piece.columns for piece in kept])
    assert idle == 0
    assert found == effects(parts)[0]
