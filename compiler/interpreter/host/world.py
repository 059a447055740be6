"""What an interpretation of a host program knows beside its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.interpreter import Interpreter, InterpreterFunctions
from xdsl.ir import Operation

from compiler.interpreter.dispatch import Run, functions_by_kind
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

    def simple(meaning: HostMeaning) -> Run:
        return lambda interpreter, op, args: tuple(meaning(op, args, world))

    def around(meaning: RegionMeaning) -> Run:
        return lambda interpreter, op, args: tuple(meaning(op, args, world, interpreter))

    runs = {kind: simple(meaning) for kind, meaning in meanings.items()}
    return functions_by_kind(runs | {kind: around(meaning) for kind, meaning in of_regions.items()})
