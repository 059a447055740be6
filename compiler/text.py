"""IR as text: printed in generic MLIR form, read back from an edited dump."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError

from compiler.context import DIALECTS, CompilerContext
from compiler.passes import STAGES
from compiler.refusal import Refusal
from compiler.source_text import LocatingParser, SourceText
from compiler.suggest import suggestion
from compiler.text_check import check_operations
from emu.errors import CompileError
from emu.files import read_text

MAX_TEXT = 1 << 26  # bytes of a stage's text; that of a large network has a tenth

UNREGISTERED = re.compile(r"Operation (\S+) is not registered")  # what xDSL says of an unknown operation


def print_module(module: ModuleOp) -> str:
    """The module in MLIR's generic form, which upstream tools read."""
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue() + "\n"


def read_module(path: Path, context: CompilerContext) -> ModuleOp:
    """A module from text, which becomes `context.source`.

    Raises InputError (unreadable) or CompileError (malformed), naming the file and, where it is known, the line.
    """
    text = read_text(path, MAX_TEXT)
    parser = LocatingParser(context, text, str(path))
    try:
        module = parser.parse_module()
    except ParseError as error:
        at = error.span.start
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        known = (name for dialect in DIALECTS for name in (op.name for op in dialect.operations))
        unknown = UNREGISTERED.fullmatch(error.msg)
        reason = f"there is no operation {unknown[1]}{suggestion(unknown[1], known)}" if unknown else error.msg
        raise Refusal(f"{path}: line {line}, column {column}: {' '.join(reason.split())}") from error
    except MemoryError:
        raise
    except Exception as error:  # the parser has no single error type for what it cannot build
        raise Refusal(f"{path}: is not IR that can be read ({_short(error)})") from error
    context.source = SourceText.of(path, text, parser.begins)
    try:
        check_operations(module, context)
    except CompileError as error:
        raise Refusal(f"{path}: {error}") from None
    return module


def _short(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) < 200 else f"{text[:200]}..."


def stage_of(module: ModuleOp, where: str) -> str:
    """The stage ("onnx", "spat" or "pim") that a module is at, told by its operations."""
    dialects = {op.name.split(".")[0] for op in module.walk()}
    for stage in reversed(tuple(STAGES)):
        if stage in dialects:
            return stage
    raise Refusal(f"{where}: the module has no operation of the dialects {', '.join(STAGES)}")
