"""Contractions by the names of their indices, `C(m,n) += A(k,l,m) * B(l,k,n)`, as text of linalg."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from emu.errors import CompileError, option
from emu.wording import nearest

_TENSOR = r"\s*([A-Za-z_]\w*)\s*\(\s*(\w+(?:\s*,\s*\w+)*)\s*\)\s*"
_FORM = re.compile(rf"{_TENSOR}\+=(!?){_TENSOR}\*{_TENSOR}")
# Of elements: the type of sums, and how an element is widened to it.
SUMS: Mapping[str, tuple[str, str]] = {
    "i8": ("i32", "arith.extsi"),
    "i16": ("i32", "arith.extsi"),
    "i32": ("i32", ""),
    "i64": ("i64", ""),
    "f32": ("f32", ""),
}


def text_of(contraction: str, sizes: Mapping[str, int], kind: str) -> str:
    """A host program that does it with elements `kind`; `+=!` begins with zeros, `+=` with what is given.

    Raises CompileError for what is no contraction, and for an index without a size.
    """
    found = _FORM.fullmatch(contraction)
    if found is None:
        raise CompileError(
            f"the contraction {contraction!r} is none: write it as C(m,n) += A(k,l,m) * B(l,k,n), or with +=! to begin"
            " with zeros"
        )
    names = [found[1], found[4], found[6]]
    result, first, second = ([index.strip() for index in found[place].split(",")] for place in (2, 5, 7))
    if len(set(names)) != len(names):
        raise CompileError(f"the contraction {contraction!r} has two tensors of one name: give each its own")
    for name, indices in zip(names, (result, first, second), strict=True):
        if len(set(indices)) != len(indices):
            raise CompileError(f"{name}({','.join(indices)}) has an index twice: diagonals are no contractions")
    for index in result:
        if index not in (*first, *second):
            raise CompileError(f"the index {index} of {names[0]} is none of {names[1]} and {names[2]}")
    loops = list(dict.fromkeys([*result, *first, *second]))
    _check(loops, sizes)
    sums, widening = SUMS[kind]
    types = [_type(indices, sizes, element) for indices, element in ((first, kind), (second, kind), (result, sums))]
    return _program(names, loops, (first, second, result), types, (kind, sums, widening), bool(found[3]))


def _check(loops: Sequence[str], sizes: Mapping[str, int]) -> None:
    """Raise CompileError unless each index has a size, and each size an index."""
    if missing := [index for index in loops if index not in sizes]:
        raise CompileError(f"the index {missing[0]} has no size: give {option('size')} {missing[0]}=N")
    if unknown := [index for index in sizes if index not in loops]:
        raise CompileError(f"the contraction has no index {unknown[0]!r}{nearest(unknown[0], loops)}")


def _type(indices: Sequence[str], sizes: Mapping[str, int], element: str) -> str:
    return f"tensor<{''.join(f'{sizes[index]}x' for index in indices)}{element}>"


def _program(
    names: Sequence[str],
    loops: Sequence[str],
    operands: Sequence[Sequence[str]],
    types: Sequence[str],
    elements: tuple[str, str, str],
    zeros: bool,
) -> str:
    result, first, second = names
    kind, sums, widening = elements
    suffix = "f" if sums == "f32" else "i"
    maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(indices)})>" for indices in operands)
    kinds = ", ".join('"parallel"' if loop in operands[2] else '"reduction"' for loop in loops)
    args = [f"%{first}: {types[0]}", f"%{second}: {types[1]}", *([] if zeros else [f"%{result}: {types[2]}"])]
    lines = [f"func.func @main({', '.join(args)}) -> {types[2]} {{"]
    begin = f"%{result}"
    if zeros:
        begin = "%begin"
        lines += [
            f"  %zero = arith.constant {'0.0' if suffix == 'f' else '0'} : {sums}",
            f"  %empty = tensor.empty() : {types[2]}",
            f"  %begin = linalg.fill ins(%zero : {sums}) outs(%empty : {types[2]}) -> {types[2]}",
        ]
    lines += [
        f"  %sum = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}",
        f"      ins(%{first}, %{second} : {types[0]}, {types[1]}) outs({begin} : {types[2]}) {{",
        f"  ^bb0(%x: {kind}, %y: {kind}, %before: {sums}):",
    ]
    x, y = "%x", "%y"
    if widening:
        lines += [f"    {value}w = {widening} {value} : {kind} to {sums}" for value in (x, y)]
        x, y = "%xw", "%yw"
    lines += [
        f"    %product = arith.mul{suffix} {x}, {y} : {sums}",
        f"    %more = arith.add{suffix} %before, %product : {sums}",
        f"    linalg.yield %more : {sums}",
        f"  }} -> {types[2]}",
        f"  return %sum : {types[2]}",
        "}",
        "",
    ]
    return "\n".join(lines)
