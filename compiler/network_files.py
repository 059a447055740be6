"""A network for a device, as files: the text of its operations and the arrays of its weights, as dumps have them."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from compiler.calling.convention import CALLING_FILE
from compiler.interpreter.structure import inputs_of, names_of
from compiler.session.context import CompilerContext, make_context
from compiler.text import attach_weights, read_module, self_contained
from compiler.weight_file import WEIGHTS_FILE, named_arrays, write_weights
from emu.arch import Arch
from emu.errors import CompileError
from emu.output.whole_file import write_whole

NETWORK = "network.mlir"
FILES = frozenset({NETWORK, WEIGHTS_FILE, CALLING_FILE})  # of a folder for a device


def write_network(folder: Path, module: ModuleOp, context: CompilerContext) -> None:
    """Write a module of level `onnx`; raises InputError."""
    write_whole(folder / NETWORK, self_contained(module, context).encode())
    write_weights(folder / WEIGHTS_FILE, named_arrays(module, context.weights))


def read_network(folder: Path, arch: Arch | None = None) -> tuple[ModuleOp, CompilerContext]:
    """The module of `write_network` with its weights, memory-mapped; raises InputError, CompileError."""
    context = make_context(arch)
    module = read_module(folder / NETWORK, context)
    attach_weights(module, context)
    return module, context


def inputs_and_outputs(folder: Path) -> tuple[list[str], list[str]]:
    """The names of the inputs and outputs of a network; raises InputError, CompileError."""
    module = read_module(folder / NETWORK, make_context())
    functions = [op for op in module.ops if isinstance(op, FuncOp)]
    if len(functions) != 1:
        raise CompileError(f"{folder / NETWORK}: is no network of one function")
    outputs = names_of(functions[0].res_attrs, len(functions[0].function_type.outputs), "output")
    return [name for name, _, _ in inputs_of(module)], outputs
