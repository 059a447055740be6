"""Where operations of a text come from: the line and the name of what was read, kept while passes rewrite it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from emu.errors import CompileError, InputError

# What passes and verification raise about a text that was edited.
FAULTS = (VerifyException, AssertionError, ValueError, TypeError, IndexError, KeyError, AttributeError, StopIteration)
ORIGIN = "text.origin"  # an attribute, "line 12: linalg.matmul", which clones keep and which is never printed


def note_lines(module: Operation, lines: Mapping[Operation, int]) -> None:
    """Note on each operation of a module where it stands; what says so in the text itself is forgotten."""
    for op in module.walk():
        op.attributes.pop(ORIGIN, None)
        if op in lines:
            op.attributes[ORIGIN] = StringAttr(f"line {lines[op]}: {op.name}")


def forget_lines(module: Operation) -> None:
    """The module as it is printed."""
    for op in module.walk():
        op.attributes.pop(ORIGIN, None)


def origin_at(point: InsertPoint) -> StringAttr | None:
    """The origin of the operation before which something is inserted, or in which."""
    return noted(point.insert_before or point.block.parent_op())


def noted(op: Operation | None) -> StringAttr | None:
    """The origin of an operation, or of the one around it; None if nothing is known."""
    while op is not None:
        found = op.attributes.get(ORIGIN)
        if isinstance(found, StringAttr):
            return found
        op = op.parent_op()
    return None


def note(op: Operation, origin: StringAttr | None) -> None:
    """An operation that a pass makes has the origin of what it stands for, unless it has one."""
    if origin is not None:
        op.attributes.setdefault(ORIGIN, origin)


def origin_of(op: Operation) -> str:
    """`line 12: linalg.matmul`, of an operation or what it was made of; its own name if nothing is known."""
    found = noted(op)
    return op.name if found is None else found.data


@contextmanager
def in_file(where: str) -> Generator[None, None, None]:
    """Inside of it, sentences about input that cannot be accepted begin with a file."""
    try:
        yield
    except InputError as error:
        error.args = (f"{where}: {error}", *error.args[1:])
        raise


def reason_of(error: BaseException) -> str:
    """What is wrong, in one line: assertions often say nothing."""
    return str(error).partition("\n")[0][:200] or type(error).__name__


@contextmanager
def rewriting(op: Operation) -> Generator[None, None, None]:
    """Inside of it, what a pass trips over is about an operation of a text that was edited: CompileError says so."""
    where = origin_of(op)  # before it is gone
    try:
        yield
    except FAULTS as error:
        raise CompileError(f"{where} does not fit: {reason_of(error)}") from None


def refuse(op: Operation, reason: str) -> CompileError:
    """The error "line 12: linalg.matmul reason"."""
    return CompileError(f"{origin_of(op)} {reason}")
