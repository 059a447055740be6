"""IR as text: printed as people write it, self-contained with the file of its weights, and read back."""

from __future__ import annotations

import re
from hashlib import sha256
from io import StringIO
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError

from compiler.basis.suggest import suggestion
from compiler.module_metadata import carry, restore
from compiler.passes import STAGES
from compiler.session.context import DIALECTS, CompilerContext
from compiler.session.refusal import Refusal
from compiler.session.source_text import MAX_TEXT, LocatingParser, SourceText
from compiler.text_check import check_operations, check_weights
from compiler.weight_file import WEIGHTS_FILE, load_weights
from emu.errors import CompileError
from emu.files import read_text

_SEAL = "// SHA-256 of all above as the compiler wrote it: "
UNREGISTERED = re.compile(r"Operation (\S+) is not registered")  # what xDSL says of an unknown operation


def print_module(module: ModuleOp, generic: bool = False) -> str:
    """The module as operations of our dialects are written; `generic`: in MLIR's generic form, for upstream tools."""
    stream = StringIO()
    printer = Printer(stream, print_generic_format=generic)
    if generic or not module.attributes:
        printer.print_op(module)
    else:
        _print_by_lines(module, printer)
    return stream.getvalue() + "\n"


def _print_by_lines(module: ModuleOp, printer: Printer) -> None:
    """A module with one line for each of its attributes, which are long."""
    printer.print_string("builtin.module attributes {")
    with printer.indented():
        for index, (name, value) in enumerate(module.attributes.items()):
            printer.print_string(",\n" if index else "\n")
            printer.print_identifier_or_string_literal(name)
            printer.print_string(" = ")
            printer.print_attribute(value)
    printer.print_string("\n} ")
    printer.print_region(module.body)


def self_contained(module: ModuleOp, context: CompilerContext) -> str:
    """The module with all that later stages need of `context`, and the text's digest as a comment in the last line."""
    carry(module, context)
    text = print_module(module)
    return f"{text}{_SEAL}{sha256(text.encode()).hexdigest()}\n"


def is_as_written(text: str) -> bool:
    """Whether `text` is one of `self_contained` that nobody has edited, by the digest in its last line."""
    content, _, seal = text.rpartition(_SEAL)
    return seal == f"{sha256(content.encode()).hexdigest()}\n"


def read_module(path: Path, context: CompilerContext) -> ModuleOp:
    """A module from the text of a file: see `parse_module`; raises InputError if it is unreadable."""
    return parse_module(read_text(path, MAX_TEXT), path, context)


def parse_module(text: str, path: Path, context: CompilerContext) -> ModuleOp:
    """A module from text, which becomes `context.source`; what its attributes say replaces what the context knew.

    Raises CompileError, naming the file `path` and, where it is known, the line.
    """
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
        restore(module, context)
    except CompileError as error:
        raise Refusal(f"{path}: {error}") from None
    return module


def attach_weights(module: ModuleOp, context: CompilerContext, file: Path | None = None) -> None:
    """Load the weights of a module that was read, from `file` or from the one beside its text.

    Raises InputError or CompileError as `load_weights` does.
    """
    assert context.source is not None
    path = context.source.path
    try:
        load_weights(file or path.with_name(WEIGHTS_FILE), module, context.weights)
        check_weights(module, context)
    except CompileError as error:
        raise Refusal(f"{path}: {error}") from None


def _short(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) < 200 else f"{text[:200]}..."


def stage_of(module: ModuleOp, where: str) -> str:
    """The stage ("onnx", "spat" or "pim") that a module is at, by its operations; raises Refusal if it has none."""
    dialects = {op.name.split(".")[0] for op in module.walk()}
    for stage in reversed(tuple(STAGES)):
        if stage in dialects:
            return stage
    raise Refusal(f"{where}: the module has no operation of the dialects {', '.join(STAGES)}")
