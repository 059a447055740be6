"""Runs a function of a host program on arrays, by xDSL's engine and the meanings of this package alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects import cf, func, linalg, ml_program, scf, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    impl,
    impl_callable,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Operation

from compiler.dialects import cinm
from compiler.dialects.linalg.loops import WhileOp
from compiler.dialects.origins import origin_of
from compiler.interpreter.host import memrefs, scalars, structured, tensors
from compiler.interpreter.host.values import Array
from compiler.interpreter.host.world import HostMeaning, HostWorld, RegionMeaning, host_functions
from emu.errors import CompileError, EmuError, InputError

if TYPE_CHECKING:
    from compiler.interpreter.host.crossbars import Crossbars
    from compiler.interpreter.host.numbered import External

MEANINGS: Mapping[type[Operation], HostMeaning] = {
    **scalars.MEANINGS,
    **structured.MEANINGS,
    **tensors.MEANINGS,
    **memrefs.MEANINGS,
}
OF_REGIONS: Mapping[type[Operation], RegionMeaning] = {**structured.OF_REGIONS, **tensors.OF_REGIONS}


class HostError(CompileError):
    """A program that cannot be executed (exit code 2)."""


@register_impls
class ControlFunctions(InterpreterFunctions):
    """Functions, loops and branches; `externals` are functions of a library, by name."""

    def __init__(self, externals: Mapping[str, External]) -> None:
        self._externals = externals

    @impl_callable(func.FuncOp)
    def run_function(self, interpreter: Interpreter, op: func.FuncOp, args: PythonValues) -> PythonValues:
        """Its body; one without is external."""
        if not op.body.blocks:
            name = op.sym_name.data
            if name not in self._externals:
                raise HostError(f"@{name} has no body, and is no function of the library")
            return tuple(self._externals[name](args))
        return interpreter.run_ssacfg_region(op.body, args, op.sym_name.data)

    @impl(func.CallOp)
    def run_call(self, interpreter: Interpreter, op: func.CallOp, args: PythonValues) -> PythonValues:
        """The function that it names."""
        return interpreter.call_op(op.callee, args)

    @impl(scf.ForOp)
    def run_for(self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues) -> PythonValues:
        """Its turns, each with what the one before left."""
        low, high, step, *carried = args
        if step < 1:
            raise ValueError(f"goes on by steps of {int(step)}: a step is 1 or more")
        for turn in range(int(low), int(high), int(step)):
            carried = interpreter.run_ssacfg_region(op.body, (np.array(turn, np.int64), *carried), "for")
        return tuple(carried)

    @impl(scf.IfOp)
    def run_if(self, interpreter: Interpreter, op: scf.IfOp, args: PythonValues) -> PythonValues:
        """One of its branches."""
        return interpreter.run_ssacfg_region(op.true_region if args[0] else op.false_region, (), "if")

    @impl(cinm.ComputeOp)
    def run_compute(self, interpreter: Interpreter, op: cinm.ComputeOp, args: PythonValues) -> PythonValues:
        """What stands inside."""
        return interpreter.run_ssacfg_region(op.body, (), "compute")

    @impl(WhileOp)
    def run_while(self, interpreter: Interpreter, op: WhileOp, args: PythonValues) -> PythonValues:
        """Turns for as long as the first region says so."""
        while True:
            goes_on, *carried = interpreter.run_ssacfg_region(op.before_region, args, "while")
            if not goes_on:
                return tuple(carried)
            args = interpreter.run_ssacfg_region(op.after_region, tuple(carried), "do")

    @impl(scf.IndexSwitchOp)
    def run_switch(self, interpreter: Interpreter, op: scf.IndexSwitchOp, args: PythonValues) -> PythonValues:
        """The case of a number, or else the default."""
        cases = dict(zip(op.cases.get_values(), op.case_regions, strict=True))
        return interpreter.run_ssacfg_region(cases.get(int(args[0]), op.default_region), (), "switch")

    @impl(cf.AssertOp)
    def run_assert(self, interpreter: Interpreter, op: cf.AssertOp, args: PythonValues) -> PythonValues:
        """Holds at every point, or the program ends."""
        if not np.all(args[0]):
            raise HostError(f"the program stops: {op.msg.data}")
        return ()

    @impl(ml_program.GlobalOp)
    def run_global(self, interpreter: Interpreter, op: ml_program.GlobalOp, args: PythonValues) -> PythonValues:
        """Nothing by itself."""
        return ()

    @impl_terminator(func.ReturnOp)
    def run_return(self, interpreter: Interpreter, op: func.ReturnOp, args: PythonValues) -> Any:
        """The results of a function."""
        return ReturnedValues(args), ()

    @impl_terminator(scf.YieldOp)
    def run_scf_yield(self, interpreter: Interpreter, op: scf.YieldOp, args: PythonValues) -> Any:
        """The results of a turn, or a branch."""
        return ReturnedValues(args), ()

    @impl_terminator(cinm.YieldOp)
    def run_cinm_yield(self, interpreter: Interpreter, op: cinm.YieldOp, args: PythonValues) -> Any:
        """What leaves a block of products."""
        return ReturnedValues(args), ()

    @impl_terminator(scf.ConditionOp)
    def run_condition(self, interpreter: Interpreter, op: scf.ConditionOp, args: PythonValues) -> Any:
        """Whether a loop goes on, and what with."""
        return ReturnedValues(args), ()

    @impl_terminator(linalg.ops.YieldOp)
    def run_linalg_yield(self, interpreter: Interpreter, op: linalg.ops.YieldOp, args: PythonValues) -> Any:
        """The elements that a body makes."""
        return ReturnedValues(args), ()

    @impl_terminator(tensor.YieldOp)
    def run_tensor_yield(self, interpreter: Interpreter, op: tensor.YieldOp, args: PythonValues) -> Any:
        """What stands around a tensor."""
        return ReturnedValues(args), ()


class _Last(Interpreter.Listener):
    """Remembers which operation runs."""

    op: Operation | None = None

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        """It runs from now on."""
        self.op = op

    def where(self) -> str:
        """Its line and name."""
        return origin_of(self.op) if self.op else "the program"


def tensor_interpreter(
    module: ModuleOp,
    blobs: Mapping[str, memoryview],
    meanings: Mapping[type[Operation], HostMeaning] = MEANINGS,
    externals: Mapping[str, External] | None = None,
) -> Interpreter:
    """An interpreter of programs that call nothing but `externals`, of operations that `meanings` and regions have."""
    interpreter = Interpreter(module)
    interpreter.register_implementations(host_functions(meanings, OF_REGIONS, HostWorld(blobs)))
    interpreter.register_implementations(ControlFunctions(externals or {}))
    return interpreter


def _host_interpreter(module: ModuleOp, blobs: Mapping[str, memoryview], crossbars: Crossbars | None) -> Interpreter:
    """An interpreter of host programs, which call `crossbars` (None: plain NumPy) as a device."""
    from compiler.interpreter.host.allocations import Allocations
    from compiler.interpreter.host.crossbars import NumpyCrossbars, crossbar_meanings
    from compiler.interpreter.host.numbered import NumberedCrossbars

    device = crossbars or NumpyCrossbars()
    numbered, allocations = NumberedCrossbars(device), Allocations(device)
    meanings = {**MEANINGS, **crossbar_meanings(device), **numbered.meanings(), **allocations.meanings()}
    return tensor_interpreter(module, blobs, meanings, {**numbered.externals(), **allocations.externals()})


def run_function(
    function: func.FuncOp,
    module: ModuleOp,
    args: Sequence[Array],
    blobs: Mapping[str, memoryview],
    listeners: Sequence[Interpreter.Listener] = (),
    crossbars: Crossbars | None = None,
) -> list[Array]:
    """The results of a function; `listeners` are told of each operation, and `crossbars` have its calls of a device.

    Raises HostError for what cannot be done, with its line if that is known, and as the device does.
    """
    interpreter, last = _host_interpreter(module, blobs, crossbars), _Last()
    interpreter.listeners = (last, *listeners)
    try:
        with np.errstate(all="ignore"):
            return [np.asarray(value) for value in interpreter.call_op(function, tuple(args))]
    except CompileError as error:
        raise HostError(f"{last.where()}: {error}") from None
    except EmuError as error:  # of the device
        error.__dict__.pop("__notes__", None)
        if isinstance(error, InputError):
            error.args = (f"{last.where()}: {error}", *error.args[1:])
        raise
    except Exception as error:
        error.__dict__.pop("__notes__", None)  # xDSL notes the whole module
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise HostError(f"{last.where()} cannot be executed: {reason}") from None
