"""Activations as instructions, in place: one row per activation."""

from __future__ import annotations

from collections.abc import Callable

from compiler.dialects.epilogue import Epilogue
from compiler.dialects.functions import FUNCTIONS
from compiler.emission.emitter import Emitter
from emu.isa.address import Address

Apply = Callable[[Emitter, Address, int, tuple[float, ...]], None]


def _unary(name: str) -> Apply:
    def apply(emitter: Emitter, at: Address, n: int, args: tuple[float, ...]) -> None:
        emitter.vector(name, (at, at), n)

    return apply


def _clip(emitter: Emitter, at: Address, n: int, args: tuple[float, ...]) -> None:
    low, high = args
    if low != float("-inf"):
        emitter.immediate("vsmax", (at, at), n, low)
    if high != float("inf"):
        emitter.immediate("vsmin", (at, at), n, high)


def _leaky(emitter: Emitter, at: Address, n: int, args: tuple[float, ...]) -> None:
    emitter.immediate("vlrelu", (at, at), n, args[0])


ACTIVATIONS: dict[str, Apply] = {
    **{function.name: _unary(function.instruction) for function in FUNCTIONS},
    "clip": _clip,
    "leaky_relu": _leaky,
}


def emit_epilogue(emitter: Emitter, epilogue: Epilogue, at: Address, n: int) -> None:
    """Apply the activations in order to `n` elements at `at`."""
    for name, args in epilogue:
        ACTIVATIONS[name](emitter, at, n, args)
