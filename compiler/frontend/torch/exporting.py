"""From a module of torch to a program of `torch.export`, and from that to ONNX."""

from __future__ import annotations

import contextlib
import io
import logging
import re
import warnings
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from compiler.frontend.torch.needs import torch_for
from emu.errors import CompileError, InputError, shown

if TYPE_CHECKING:
    from onnx import ModelProto

_USER_FRAME = re.compile(r'File "([^"\n]+)", line (\d+), in (\w+)\n\s*(.+)')
_OPERATOR = re.compile(r"No ONNX function found for <OpOverload\(op='([\w.]+)', overload='(\w+)'\)>")
_TERMINAL = re.compile(r"\x1b\[[0-9;]*m")
_LOGGERS = ("torch.onnx", "torch.export", "torch.fx", "torch.utils._pytree", "onnxscript", "onnx_ir")
_OF_RECURRENT = r"The tensor attributes? self\..*_flat_weights"  # which torch's own layers set when they are exported
_LONGEST = 300  # characters of a reason


def name_of(module: Any) -> str:
    """What errors and images call a module: its class."""
    return type(module).__name__


def exported(module: Any, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """The program that `module` is for example inputs; one that is exported already stays. Raises CompileError.

    A module in training mode is exported as it is; what it then does to its buffers is refused later.
    """
    torch = torch_for("from_torch")
    if isinstance(module, torch.export.ExportedProgram):
        return module
    if not isinstance(module, torch.nn.Module):
        raise InputError(
            f"from_torch takes a torch.nn.Module, or what torch.export.export makes of one, not {name_of(module)}"
        )
    try:
        # What cannot be exported is also printed, with all of the graph, and nobody could ask for it not to be.
        with quiet(), contextlib.redirect_stderr(io.StringIO()):
            return torch.export.export(module, tuple(inputs), dict(keywords))
    except Exception as error:  # there is no single type for what it cannot export, nor for what modules raise
        raise CompileError(f"{name_of(module)} cannot be exported by torch.export: {_reason(error)}") from error


def to_onnx(program: Any, name: str) -> tuple[ModelProto, Any]:
    """The ONNX model of a program of `torch.export`, and the program as it was written, cut into basic operators.

    Raises CompileError with one sentence.
    """
    torch = torch_for("a program of torch.export")
    _refuse_constants(program, name)
    try:
        with quiet():
            made = torch.onnx.export(program, f=None, dynamo=True, verbose=False)
            model: ModelProto = made.model_proto
            model.SerializeToString()
    except Exception as error:  # of the exporter, of its conversions, of protobuf beyond 2 GB
        text = _chain(error)
        unknown = _OPERATOR.search(text)
        if unknown is not None:
            raise CompileError(
                f"{name} uses {unknown[1]}.{unknown[2]}, which torch's exporter has no ONNX for: write it otherwise"
            ) from error
        raise CompileError(f"{name} cannot be exported to ONNX by torch: {_reason(error)}") from error
    _refuse_changes(made.exported_program, name)
    model.graph.name = name
    return model, made.exported_program


def _refuse_changes(program: Any, name: str) -> None:
    """Raise CompileError for a program that changes its buffers, or its inputs: a network has outputs only."""
    signature = program.graph_signature
    changed = [
        *getattr(signature, "buffers_to_mutate", {}).values(),
        *getattr(signature, "user_inputs_to_mutate", {}).values(),
        *getattr(signature, "parameters_to_mutate", {}).values(),
    ]
    if changed:
        raise CompileError(
            f"{name} changes {changed[0]!r} when it is called, and a compiled network has outputs only: export it"
            " after module.eval()"
        )


def _refuse_constants(program: Any, name: str) -> None:
    """Raise CompileError for an output that is no tensor, which the exporter cannot write."""
    for entry in program.graph_signature.output_specs:
        if type(entry.arg).__name__ != "TensorArgument" and getattr(entry.arg, "value", 0) is not None:
            value = getattr(entry.arg, "value", entry.arg)
            raise CompileError(f"{name} returns {shown(value)}, which is no tensor: return tensors alone")


@contextlib.contextmanager
def quiet() -> Generator[None]:
    """Inside of it torch does not tell what it deprecates of itself, or what else could be installed."""
    levels = {name: logging.getLogger(name).level for name in _LOGGERS}
    with warnings.catch_warnings():
        for category in (FutureWarning, DeprecationWarning, PendingDeprecationWarning):
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("ignore", _OF_RECURRENT, UserWarning)
        try:
            for name in _LOGGERS:
                logging.getLogger(name).setLevel(logging.CRITICAL)
            yield
        finally:
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)


def _chain(error: BaseException | None) -> str:
    texts = list[str]()
    while error is not None and len(texts) < 8:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def _reason(error: Exception) -> str:
    """The first line of what went wrong, and the line of the module that did it, as far as it is told."""
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    lines = [line.strip() for line in _TERMINAL.sub("", str(cause)).splitlines() if line.strip()]
    first = (lines[0] if lines else type(cause).__name__)[:_LONGEST]
    frames = [each for each in _USER_FRAME.findall(_TERMINAL.sub("", _chain(error))) if "/torch/" not in each[0]]
    place = f" (line {frames[-1][1]} of {frames[-1][0]}: {frames[-1][3].strip()[:80]})" if frames else ""
    return f"{first}{place}"
