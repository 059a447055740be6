"""Which outputs of a network are the states that its inputs read in the next step."""

from __future__ import annotations

import re

from compiler.basis.options import AUTO, States
from compiler.frontend.front_end import ImportedModel
from emu.errors import CompileError, option
from emu.image.manifest import StateSpec
from emu.image.states import state_fault

_USUAL = ((r"past_key_values(\W.*)", r"present\1"), (r"past(.*)", r"present\1"))  # names of inputs, and of outputs


def states_of(imported: ImportedModel, asked: States) -> tuple[StateSpec, ...]:
    """The states of a model: those of its caches of fixed capacity, and those `asked` for.

    Raises CompileError unless both ends of each are there, with one shape and one element type.
    """
    inputs, outputs = (
        {info.name: (info.shape, info.dtype) for info in infos} for infos in (imported.inputs, imported.outputs)
    )
    if isinstance(asked, str):
        found = {name: output for name in inputs if (output := _usual_output(name)) in outputs}
        if not found and not imported.states:
            raise CompileError(
                f"{imported.where}: {option('states', AUTO)} finds no input past... with an output present...: name"
                f" input and output of each state by {option('states')}"
            )
    else:
        found = dict(asked)
    states = tuple(StateSpec(*pair) for pair in (found | dict(imported.states)).items())
    if fault := state_fault(states, inputs, outputs):
        raise CompileError(f"{imported.where}: {fault}")
    return states


def _usual_output(name: str) -> str:
    """What the output that belongs to an input of a usual name is called; empty for any other name."""
    for pattern, target in _USUAL:
        if match := re.fullmatch(pattern, name):
            return match.expand(target)
    return ""
