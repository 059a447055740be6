"""States: pairs of an output and the input that gets its values in the next step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from emu.image.manifest import StateSpec
from emu.isa.dtypes import DType
from emu.wording import nearest

Kinds = Mapping[str, tuple[tuple[int, ...], DType]]  # logical shape and element type of tensors, by name


def state_fault(states: Sequence[StateSpec], inputs: Kinds, outputs: Kinds) -> str:
    """Why `states` cannot be states of a network with these inputs and outputs, as a sentence; empty if they can.

    Both ends of a pair are there, with one shape and one element type, and no input is in two pairs.
    """
    taken: set[str] = set()
    for state in states:
        fault = _missing("input", state.input, inputs) or _missing("output", state.output, outputs)
        if fault:
            return fault
        if state.input in taken:
            return f"input {state.input!r} is a state twice: give one output for it"
        taken.add(state.input)
        old, new = inputs[state.input], outputs[state.output]
        if old != new:
            return (
                f"input {state.input!r} is {_kind(*old)}, but output {state.output!r} is {_kind(*new)}: both ends of a "
                "state need one shape and one element type"
            )
    return ""


def _missing(what: str, name: str, known: Kinds) -> str:
    if name in known:
        return ""
    names = ", ".join(known) or "none"
    return f"there is no {what} {name!r} for a state: the {what}s are {names}{nearest(name, known)}"


def _kind(shape: tuple[int, ...], dtype: DType) -> str:
    return f"{dtype.numpy.name}{list(shape)}"
