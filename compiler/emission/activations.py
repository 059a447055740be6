"""Activations as instructions, in place."""

from __future__ import annotations

from compiler.dialects.activations import ACTIVATIONS
from compiler.dialects.epilogue import Epilogue
from compiler.emission.emitter import Emitter
from emu.isa.address import Address


def emit_epilogue(emitter: Emitter, epilogue: Epilogue, at: Address, n: int) -> None:
    """Apply the activations in order to `n` elements at `at`; steps whose number changes nothing are left out."""
    for name, args in epilogue:
        row = ACTIVATIONS[name]
        absent, given = dict(row.parameters), dict(zip(dict(row.parameters), args, strict=True))
        for step in row.steps:
            if not step.parameter:
                emitter.vector(step.instruction, (at, at), n)
            elif given[step.parameter] != absent[step.parameter]:
                emitter.immediate(step.instruction, (at, at), n, given[step.parameter])
