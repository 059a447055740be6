"""Errors of passes as one sentence: which file, which node or line; xDSL's print of the module only for --debug."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from compiler.session.context import CompilerContext
from emu.errors import CompileError, ProgramError

# What passes raise on IR that verifies but that they would never be given by the default pipeline.
BROKEN = (
    KeyError,
    IndexError,
    ValueError,
    TypeError,
    AttributeError,
    AssertionError,
    StopIteration,
    OverflowError,
    ZeroDivisionError,
    RecursionError,
    VerifyException,
)


class Inconsistent(Exception):
    """Something in BROKEN, its cause, was raised while a pass worked on `op`."""

    def __init__(self, op: Operation) -> None:
        super().__init__()
        self.op = op


class Refusal(CompileError):
    """A refusal whose sentence names its file; `ir` is the module as xDSL printed it at that moment, or empty."""

    def __init__(self, sentence: str, ir: str = "") -> None:
        super().__init__(sentence)
        self.ir = ir


@contextmanager
def about(op: Operation) -> Generator[None]:
    """Remember that what breaks here breaks because of `op`."""
    try:
        yield
    except BROKEN as error:
        raise Inconsistent(op) from error


def verify(module: ModuleOp) -> None:
    """Verify a module; an error remembers the operation."""
    try:
        module.verify()
    except VerifyException:
        for op in module.walk():
            with about(op):
                op.verify(verify_nested_ops=False)
        raise


@contextmanager
def refusals(where: str, context: CompilerContext, pipeline: str | None) -> Generator[None]:
    """Around passes and code generation for the model `where`: every CompileError names the file.

    What breaks on text that was read (`context.source`), or in a `pipeline` of the user's, is the error of that; what
    breaks otherwise is a bug, and is raised as it is.
    """
    try:
        yield
    except Refusal:
        raise
    except CompileError as error:
        name = str(context.source.path) if context.source is not None else where
        raise Refusal(f"{name}: {error}", _take_ir(error)) from error
    except ProgramError as error:
        if context.source is None:
            raise
        raise Refusal(f"{context.source.path}: its programs are not valid: {error}") from error
    except Inconsistent as error:
        broken = error.__cause__
        assert isinstance(broken, Exception)
        ir = _take_ir(error) + _take_ir(broken)
        if context.source is None and pipeline is None:
            raise broken from None
        raise Refusal(_unfitting(context, pipeline, broken, error.op), ir) from error
    except BROKEN as error:
        ir = _take_ir(error)
        if context.source is None and pipeline is None:
            raise
        raise Refusal(_unfitting(context, pipeline, error, None), ir) from error
    except Exception as error:
        _take_ir(error)
        raise


def _unfitting(context: CompilerContext, pipeline: str | None, error: Exception, op: Operation | None) -> str:
    """The sentence for IR on which a pass broke."""
    detail = f": {' '.join(str(error).split())[:200]}" if isinstance(error, VerifyException) else ""
    if context.source is None:
        return f"pipeline {pipeline}: the passes do not fit together{f' at {label(op)}' if op else ''}{detail}"
    name = f"{context.source.path}: {context.line_of(op)}{label(op)}" if op else f"{context.source.path}: the module"
    return f"{name} does not fit together with what is around it{detail}: compare with the text before the edit"


def label(op: Operation) -> str:
    """How an operation is called in errors: its name and, where it has one, its ONNX node and core."""
    named: Operation | None = op
    while named is not None and "node" not in named.properties:
        named = named.parent_op()
    node = named.properties["node"] if named is not None else None
    return f"{op.name} of node {node.data}" if isinstance(node, StringAttr) else op.name


def _take_ir(error: BaseException) -> str:
    """Remove what xDSL noted on an exception (it would be printed with it), and return it."""
    notes: list[str] = error.__dict__.pop("__notes__", [])
    return "".join(notes)
