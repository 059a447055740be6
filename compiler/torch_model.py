"""Compiles a module of torch to a model that is called like it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from compiler.api import compile_request
from compiler.basis.options import CompileOptions
from compiler.calling.convention import CALLING_FILE, Calling, is_tensor
from compiler.calling.runners import SEQUENTIAL
from compiler.calling.tree import Branch, FixedArgument, Leaf, Tree
from compiler.compiled_model import CompiledModel
from compiler.compiling import lower
from compiler.frontend.torch.exporting import exported, name_of, to_onnx
from compiler.frontend.torch.needs import torch_for
from compiler.frontend.torch.structure import tree_of
from compiler.network_files import write_network
from compiler.request import CompileRequest, make_request
from compiler.session.context import make_context
from emu.arch import Arch
from emu.errors import CompileError, InputError, option, shown
from emu.image.manifest import Manifest
from emu.image.writer import ImageWriter
from emu.options import takes
from emu.output.scratch import ScratchFolder
from emu.output.whole_file import write_whole

if TYPE_CHECKING:
    from onnx import ModelProto

_IMAGE = "model"


@takes(CompileOptions)
def from_torch(
    module: Any,
    example_inputs: Sequence[Any] = (),
    example_keywords: Mapping[str, Any] | None = None,
    *,
    arch: str | Arch = "default",
    runner: str = SEQUENTIAL,
    device: Any = None,
    **options: Any,
) -> CompiledModel:
    """Compile `module`, a `torch.nn.Module` or what `torch.export.export` makes of one, to a model called like it.

    `example_inputs` are its arguments, a tuple, and `example_keywords` those by name: shapes and types are theirs from
    then on. Modules that torchao has quantised (PT2E) run as integers. `options` are the fields of `CompileOptions`;
    `runner` is that of `CompiledModel`. With `device`, one that is powered on (`launch.device`) or a chip, nothing is
    compiled to programs: contractions are offloaded to it, the rest runs here.
    Raises InputError without torch, and CompileError with one sentence for what torch cannot export or cores not do.
    """
    torch_for("from_torch")
    chip = arch if device is None else getattr(device, "arch", device)
    if not isinstance(chip, str | Arch):
        what = option("arch" if device is None else "device")
        raise InputError(f"{what} {shown(chip)} is no chip: give a preset, a file, or what launch.device gives")
    inputs = (example_inputs,) if is_tensor(example_inputs) else tuple(example_inputs)
    program = exported(module, inputs, example_keywords or {})
    name = name_of(module)
    model, written = to_onnx(program, name)
    calling = calling_of_program(written, model, name)
    scratch = ScratchFolder("torch")
    folder = scratch.__enter__() / _IMAGE
    try:
        request = make_request(model, chip, **options)
        warnings = _offloaded(request, folder, calling) if device is not None else _compiled(request, folder, calling)
    except BaseException:
        scratch.__exit__(None, None, None)
        raise
    made = CompiledModel(folder, calling, runner=runner, device=device, scratch=scratch)
    made.warnings = warnings
    return made


def _compiled(request: CompileRequest, folder: Path, calling: Calling) -> tuple[str, ...]:
    """Write programs; returns the warnings."""

    def finish(writer: ImageWriter, manifest: Manifest) -> Manifest:
        with writer.add_file(CALLING_FILE) as file:
            file.write(calling.text().encode())
        return manifest

    return compile_request(request, folder, finish).warnings


def _offloaded(request: CompileRequest, folder: Path, calling: Calling) -> tuple[str, ...]:
    """Write the network as it is before it is cut; returns the warnings."""
    context = make_context(request.arch, request.options)
    module, _ = lower(replace(request, until="onnx"), context)
    folder.mkdir()
    write_network(folder, module, context)
    write_whole(folder / CALLING_FILE, calling.text().encode())
    return tuple(context.warnings)


def calling_of_program(program: Any, model: ModelProto, name: str) -> Calling:
    """How a program of `torch.export` is called, whose ONNX `model` has its tensors in the same order.

    Raises CompileError for structures that cannot be kept.
    """
    signature, spec = program.graph_signature, program.call_spec
    initialisers = {tensor.name for tensor in model.graph.initializer}
    taken = iter([value.name for value in model.graph.input if value.name not in initialisers])
    made = iter([value.name for value in model.graph.output])
    inputs = [entry.arg for entry in signature.input_specs if entry.kind.name == "USER_INPUT"]
    outputs = [entry.arg for entry in signature.output_specs if entry.kind.name == "USER_OUTPUT"]
    try:
        arguments = tree_of(spec.in_spec, iter([_leaf(arg, taken, name) for arg in inputs]), name)
        result = tree_of(spec.out_spec, iter([_leaf(arg, made, name) for arg in outputs]), name)
    except StopIteration:  # pragma: no cover - of an exporter that leaves tensors out
        raise CompileError(f"{name} has other inputs or outputs in ONNX than in torch: use another version") from None
    positional, keywords = (cast(Branch, side) for side in cast(Branch, arguments).members)
    order = list(_argument_names(program, len(positional.members)))
    return Calling(
        tuple(zip(order, positional.members, strict=True)),
        tuple(zip(keywords.keys, keywords.members, strict=True)),
        result,
    )


def _leaf(argument: Any, tensors: Iterator[str], name: str) -> Tree:
    """A tensor of the graph, or a constant of the call."""
    kind = type(argument).__name__
    if kind == "TensorArgument":
        return Leaf(next(tensors))
    value = getattr(argument, "value", None)
    if kind == "ConstantArgument" and (value is None or isinstance(value, bool | int | float | str)):
        return FixedArgument(value)
    raise CompileError(f"{name} takes or returns a {kind}, where tensors and constants can be: export it otherwise")


def _argument_names(program: Any, count: int) -> Iterator[str]:
    """The names of the positional arguments, as the module's `forward` has them."""
    names: list[str] = []
    for entry in program.module_call_graph:
        if entry.fqn == "" and entry.signature is not None:
            names = list(entry.signature.forward_arg_names or ())
    for place in range(count):
        yield names[place] if place < len(names) else f"argument{place}"
