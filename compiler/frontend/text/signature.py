"""Which function of a text is the network, and what its inputs and outputs are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from compiler.frontend.text.parsing import TextModule
from emu.errors import CompileError

ENTRIES = ("main", "forward")


@dataclass(frozen=True, slots=True)
class Signature:
    """The function with the names of its inputs and outputs; `name` is that of the module, if it has one."""

    function: FuncOp
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    name: str

    def tensors(self, text: TextModule) -> dict[SSAValue, str]:
        """What the values that the function computes are called, outputs among them."""
        found = dict[SSAValue, str]()
        for op in self.function.body.block.ops:
            if op in text.names:
                base, count = text.names[op], len(op.results)
                found |= {value: base if count == 1 else f"{base}#{place}" for place, value in enumerate(op.results)}
        last = self.function.body.block.last_op
        assert last is not None
        for value, name in zip(last.operands, self.outputs, strict=True):
            if value in found and found[value] not in self.outputs:
                found[value] = name
        return found


def signature_of(text: TextModule, in_place: bool = False) -> Signature:
    """The function called @main or @forward, or else the only one that is not private; raises CompileError.

    With `in_place` it may write memrefs that it is given, and return nothing.
    """
    functions = [op for op in text.module.ops if isinstance(op, FuncOp) and op.body.blocks]
    named = [op for name in ENTRIES for op in functions if op.sym_name.data == name]
    public = [op for op in functions if op.sym_visibility is None or op.sym_visibility.data != "private"]
    chosen = named[:1] or public
    if len(chosen) != 1:
        raise CompileError(f"{text.where} has no function{_instead(functions, chosen)}: call the network @main")
    function = chosen[0]
    last = function.body.block.last_op
    if not isinstance(last, ReturnOp) or not (last.operands or in_place):
        memrefs = any(isinstance(arg.type, MemRefType) for arg in function.body.block.args)
        advice = "give the text before bufferisation, on tensors" if memrefs else "there is nothing to compute"
        raise text.refuse(function, f"returns nothing: {advice}")
    used = set[str]()
    inputs = [_free(arg.name_hint or f"input{place}", used) for place, arg in enumerate(function.body.block.args)]
    count = len(last.operands)
    outputs = [_free("output" if count == 1 else f"output{place}", used) for place in range(count)]
    symbol = text.module.sym_name
    return Signature(function, tuple(inputs), tuple(outputs), symbol.data if isinstance(symbol, StringAttr) else "")


def _instead(functions: Sequence[FuncOp], public: Sequence[FuncOp]) -> str:
    """What a module without @main has."""
    if not functions:
        return ""
    if not public:
        return " @main, and all of its functions are private"
    names = ", ".join(f"@{op.sym_name.data}" for op in public)
    return f" @main, and its functions that are not private are {names}"


def _free(name: str, used: set[str]) -> str:
    made, serial = name, 0
    while made in used:
        serial += 1
        made = f"{name}.{serial}"
    used.add(made)
    return made
