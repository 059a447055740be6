"""Implementations for xDSL's interpreter, by the kind of operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation

Run: TypeAlias = Callable[[Interpreter, Any, PythonValues], PythonValues]  # of an operation: operands to results


def functions_by_kind(runs: Mapping[type[Operation], Run]) -> InterpreterFunctions:
    """The implementations `runs`, which are asked for the kind of an operation itself, not for what it derives from."""
    return _class_of(tuple(runs))(runs)


class _ByKind(InterpreterFunctions):
    def __init__(self, runs: Mapping[type[Operation], Run]) -> None:
        self._runs = runs

    def run_any(self, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        """What the operation means."""
        return self._runs[type(op)](interpreter, op, args)


@cache
def _class_of(kinds: tuple[type[Operation], ...]) -> type[_ByKind]:
    """Made once for these kinds: to register them takes longer than many programs run."""
    members = {f"run_{place}": impl(kind)(_ByKind.run_any) for place, kind in enumerate(kinds)}
    return register_impls(type("ByKind", (_ByKind,), members))
