"""Writes flows as text, line by line."""

from __future__ import annotations

from collections.abc import Iterator

from emu.interop.mop.declarations import print_header
from emu.interop.mop.flow import Flow, Operator, OperatorBlock
from emu.interop.mop.operands import print_operand


def print_flow(flow: Flow) -> Iterator[str]:
    """The lines of a flow, each with its end; its blocks are taken once."""
    for line in print_header(flow.header):
        yield f"{line}\n"
    for block in flow.blocks:
        yield from print_block(block)


def print_block(block: OperatorBlock) -> Iterator[str]:
    """The lines of one block."""
    if block.comment:
        yield f"// {' '.join(block.comment.split())}\n"  # names of nodes may hold anything
    if block.parallel:
        yield "parallel {\n"
    for operator in block.operators:
        yield f"{'  ' if block.parallel else ''}{print_operator(operator)}\n"
    if block.parallel:
        yield "}\n"


def print_operator(operator: Operator) -> str:
    """One operator, on one line."""
    return f"{operator.name}({', '.join(map(print_operand, operator.args))})"
