"""What an interpretation of a host program knows beside its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation

from compiler.interpreter.host.values import Array


@dataclass(slots=True)
class HostWorld:
    """`blobs` are the elements of constants that stand outside of operations; `counters` those of the loops around.

    `globals` are the memrefs of the module that were asked for.
    """

    blobs: Mapping[str, memoryview] = field(default_factory=dict[str, memoryview])
    counters: list[Sequence[Array]] = field(default_factory=list[Sequence[Array]])
    globals: dict[str, Array] = field(default_factory=dict[str, Array])


HostMeaning: TypeAlias = Callable[[Any, Sequence[Array], HostWorld], Sequence[Array]]  # operands to results
RegionMeaning: TypeAlias = Callable[[Any, Sequence[Array], HostWorld, Interpreter], Sequence[Array]]


def host_functions(
    meanings: Mapping[type[Operation], HostMeaning],
    of_regions: Mapping[type[Operation], RegionMeaning],
    world: HostWorld,
) -> InterpreterFunctions:
    """Implementations for xDSL's interpreter; those of operations with regions are given the interpreter, too."""

    def simple(kind: type[Operation], meaning: HostMeaning) -> object:
        def run(self: object, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
            return tuple(meaning(op, args, world))

        return impl(kind)(run)

    def around(kind: type[Operation], meaning: RegionMeaning) -> object:
        def run(self: object, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
            return tuple(meaning(op, args, world, interpreter))

        return impl(kind)(run)

    members = {f"run_{place}": simple(*row) for place, row in enumerate(meanings.items())}
    members |= {f"around_{place}": around(*row) for place, row in enumerate(of_regions.items())}
    return register_impls(type("HostFunctions", (InterpreterFunctions,), members))()
