"""Runs one instruction on given arrays, on both engines, alone and in a loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from core_runs import Trace, run_section

from emu.arch import Arch
from emu.arch import Core as CoreSpec
from emu.core.engines.core import Core
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Data, Program

ARCH = Arch(core=CoreSpec(local_memory=1 << 16))
SLOT = 8192  # bytes between operands
LOOPS = 3
MODES = [("step", False), ("step", True), ("batch", False), ("batch", True)]  # engine, in a loop


def execute(
    name: str,
    types: Sequence[DType],
    sources: Sequence[np.ndarray],
    result: np.ndarray,
    *,
    flags: Sequence[str] = (),
    strides: Sequence[int] = (),
    pitches: Sequence[int] = (),
    groups: Sequence[GroupSpec] = (),
    weights: Sequence[np.ndarray] = (),
    engine: str = "step",
    looped: bool = False,
    operand: int = 0,
    **fields: float,
) -> np.ndarray:
    """The content of the destination, an array like `result`, after the instruction; `looped`: of the last of 3.

    `operand`: of another operand that it writes, an array like the one that is its content before.
    """
    builder = SectionBuilder()
    bases = [SLOT * k for k in range(len(sources) + 1)]
    step = 2048 if looped else 0
    strides, pitches = strides or [1] * len(bases), pitches or [0] * len(bases)
    places = list(zip(bases, strides, pitches, strict=True))
    data = [Data(0, result.tobytes())]
    for base, array in zip(bases[1:], sources, strict=True):
        data += [Data(base + step * k, array.tobytes()) for k in range(LOOPS if looped else 1)]
    if looped:
        with builder.loop(LOOPS) as loop:
            operands = [Address(b, (Term(loop, step),), stride=s, pitch=p) for b, s, p in places]
            data.append(Data(step * (LOOPS - 1), result.tobytes()))
            data.append(Data(step * (LOOPS - 2), result.tobytes()))
            builder.emit(name, types, operands, flags, **fields)
    else:
        operands = [Address(b, stride=s, pitch=p) for b, s, p in places]
        builder.emit(name, types, operands, flags, **fields)
    program = Program(0, tuple(groups), tuple(data), main=builder.finish())
    core = Core(program, ARCH, weights, engine)
    core.begin("main", 0)
    run_section(core, Trace())
    if looped and engine == "batch":
        assert core.statistics.units == 1, "the loop was not vectorised"
    wanted = sources[operand - 1] if operand else result
    start = bases[operand] + step * (LOOPS - 1)
    return core.memory.data[start : start + wanted.nbytes].view(wanted.dtype).copy()
