"""Errors of passes as one sentence: which file, which node or line; xDSL's print of the module only for --debug."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from compiler.session.context import CompilerContext
from emu.errors import CompileError, ProgramError


class Refusal(CompileError):
    """A refusal whose sentence names its file; `ir` is the module as xDSL printed it at that moment, or empty."""

    def __init__(self, sentence: str, ir: str = "", node: str = "") -> None:
        super().__init__(sentence, node)
        self.ir = ir


@contextmanager
def refusals(where: str, context: CompilerContext) -> Generator[None]:
    """Around passes and code generation for the model `where`: every CompileError names the file.

    Text that was read is checked before passes see it: any other exception is a bug, raised as it is.
    """
    try:
        yield
    except Refusal:
        raise
    except CompileError as error:
        name = str(context.source.path) if context.source is not None else where
        raise Refusal(f"{name}: {error}", _take_ir(error), error.node) from error
    except ProgramError as error:
        if context.source is None:
            raise
        raise Refusal(f"{context.source.path}: its programs are not valid: {error}") from error
    except Exception as error:
        _take_ir(error)
        raise


def label(op: Operation) -> str:
    """How an operation is called in errors: its name and, where it has one, its ONNX node and core."""
    node = node_of(op)
    return f"{op.name} of node {node}" if node else op.name


def node_of(op: Operation) -> str:
    """The ONNX node of an operation, or of the one that it is a part of; empty if there is none."""
    named: Operation | None = op
    while named is not None and "node" not in named.properties:
        named = named.parent_op()
    node = named.properties["node"] if named is not None else None
    return node.data if isinstance(node, StringAttr) else ""


def _take_ir(error: BaseException) -> str:
    """Remove what xDSL noted on an exception (it would be printed with it), and return it."""
    notes: list[str] = error.__dict__.pop("__notes__", [])
    return "".join(notes)
