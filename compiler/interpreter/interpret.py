"""Executes a module of any level on given inputs: what the network makes, and what each operation does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.interpreter import Interpreter
from xdsl.ir import Operation

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import pim, spat
from compiler.dialects.kernel import KernelOp
from compiler.interpreter import elements, indexed, kernels, moves, nests, products, recurrent
from compiler.interpreter.pim import InterpretedChip, PimFunctions, buffer_kernels
from compiler.interpreter.structure import NetworkFunctions, SpatFunctions, Teller, tensor_kernels
from compiler.interpreter.world import MadeValue, Meaning, Meaningless, Undefined, World, functions_of
from emu.errors import option

TENSORS: Mapping[type[Operation], Meaning] = {  # operations on whole tensors
    **products.MEANINGS,
    **elements.MEANINGS,
    **moves.MEANINGS,
    **nests.MEANINGS,
    **indexed.MEANINGS,
    **recurrent.MEANINGS,
}
_AROUND = (
    ModuleOp,
    FuncOp,
    ReturnOp,
    spat.InputOp,
    spat.OutputOp,
    spat.BodyOp,
    spat.JoinOp,
    spat.YieldOp,
    *pim.OPERATIONS,
)


def interpret(
    module: ModuleOp,
    weights: WeightStore,
    inputs: Mapping[str, Array],
    tell: Callable[[MadeValue], None] = lambda made: None,
    nudged: Collection[Operation] = (),
    nudge: float = 1.0,
    meanings: Mapping[type[Operation], Meaning] = TENSORS,
) -> dict[str, Array]:
    """The outputs, by name [logical shape], of one sample of `inputs`; `tell` is told of every value, in order.

    `meanings` are those of operations on whole tensors, all of `TENSORS` or others in their place.
    Raises Meaningless for operations that have no meaning here, Undefined for what no level may do.
    """
    refuse_unknown(module)
    world = World(weights, inputs, tell, nudged=nudged, nudge=nudge)
    teller = Teller(world)
    interpreter = Interpreter(module, listeners=(teller,))
    try:
        with np.errstate(all="ignore"):
            _execute(interpreter, module, world, meanings)
    except (IndexError, ValueError, TypeError) as error:  # of NumPy: what is there does not fit together
        assert teller.op is not None
        raise Undefined(teller.op, f"cannot be executed: {error}") from None
    except Exception as error:
        error.__dict__.pop("__notes__", None)  # xDSL notes the whole module
        raise
    return world.outputs


def _execute(
    interpreter: Interpreter, module: ModuleOp, world: World, meanings: Mapping[type[Operation], Meaning]
) -> None:
    kinds = list(dict.fromkeys(type(op) for op in module.walk() if isinstance(op, KernelOp)))
    if any(isinstance(op, pim.CoreOp) for op in module.ops):
        chip = InterpretedChip(module, world)
        interpreter.register_implementations(PimFunctions(chip))
        interpreter.register_implementations(buffer_kernels(kinds, chip))
        chip.run(interpreter)
        return
    interpreter.register_implementations(functions_of(meanings, world))
    interpreter.register_implementations(NetworkFunctions(world))
    interpreter.register_implementations(SpatFunctions(world))
    interpreter.register_implementations(tensor_kernels(kinds, world))
    _run(interpreter, module)


def _run(interpreter: Interpreter, module: ModuleOp) -> None:
    """The operations of a module, in order."""
    for op in module.ops:
        results = interpreter.run_op(op, interpreter.get_values(op.operands))
        interpreter.set_values(zip(op.results, results, strict=True))


def refuse_unknown(module: ModuleOp) -> None:
    """Raise Meaningless for the first operation that has no meaning."""
    for op in module.walk():
        known = isinstance(op, _AROUND) or type(op) in TENSORS
        if not (op.name in kernels.KERNELS if isinstance(op, KernelOp) else known):
            raise Meaningless(
                f"{label(op)} has no meaning at its level yet, so it cannot be executed: leave"
                f" {option('verify_levels')} out"
            )


def label(op: Operation) -> str:
    """How errors name an operation: by its node, too, if it has one."""
    node = op.properties.get("node")
    return f"{op.name} of node {node.data}" if isinstance(node, StringAttr) else op.name
