"""Instructions of a nest's body: which vectors of scratch hold the values between, and one instruction per step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from compiler.nests.body import CONSTANT, INDEX, BodyStep, NestBody
from compiler.nests.functions import SCALAR_FUNCTIONS
from emu.isa.dtypes import DType

CHUNK = 4096  # elements of a vector of scratch, at most: longer vectors are made in parts


@dataclass(frozen=True, slots=True)
class BodyPlan:
    """Where each value of a body stands.

    `values`: per value its place: ("operand", i), ("given", i) for the i-th number or index, or ("slot", i) for the
    i-th of the vectors of scratch, whose types are `slots`. `steps` are those that are instructions, by value.
    """

    values: tuple[tuple[str, int], ...]
    slots: tuple[DType, ...]
    given: tuple[BodyStep, ...]
    steps: tuple[tuple[int, BodyStep], ...]


@lru_cache(maxsize=4096)
def plan_body(body: NestBody, operands: int, keep_last: bool) -> BodyPlan:
    """The plan of a body of so many operands; `keep_last`: its last value stands in scratch, too, not in the result.

    Once no operand is read any more, the result, which may be the buffer of one, holds what leads to the last value.
    """
    last_use: dict[int, int] = {}
    for number, step in enumerate(body.steps, start=operands):
        for arg in step.args:
            last_use[arg] = number
    read = max((last_use.get(operand, 0) for operand in range(operands)), default=0)  # the last step that reads one
    result = None if keep_last or not body.steps else body.steps[-1].dtype
    held = -1  # the value in the result
    values: list[tuple[str, int]] = [("operand", index) for index in range(operands)]
    slots, free, given, steps = list[DType](), dict[DType, list[int]](), list[BodyStep](), list[tuple[int, BodyStep]]()
    for number, step in enumerate(body.steps, start=operands):
        if step.fn in (CONSTANT, INDEX):
            if step not in given:
                given.append(step)
            values.append(("given", given.index(step)))
            continue
        steps.append((number, step))
        freed = [values[arg][1] for arg in set(step.args) if values[arg][0] == "slot" and last_use[arg] == number]
        for place in freed:  # an instruction may write where it reads the same elements
            if slots[place] == step.dtype:
                free.setdefault(slots[place], []).append(place)
        if step.dtype == result and number >= read and last_use.get(held, 0) <= number:
            values.append(("result", 0))
            held = number
        else:
            if not free.get(step.dtype):
                slots.append(step.dtype)
                free.setdefault(step.dtype, []).append(len(slots) - 1)
            values.append(("slot", free[step.dtype].pop()))
        for place in freed:
            if slots[place] != step.dtype:
                free.setdefault(slots[place], []).append(place)
    return BodyPlan(tuple(values), tuple(slots), tuple(given), tuple(steps))


def instruction(step: BodyStep, types: Sequence[DType]) -> tuple[str, tuple[DType, ...]]:
    """Mnemonic and types of a step whose arguments have `types`."""
    function = SCALAR_FUNCTIONS[step.fn]
    return function.instruction, function.types(types, step.dtype)
