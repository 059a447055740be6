"""Contractions by the names of their indices, `C(m,n) += A(k,l,m) * B(l,k,n)`, as text of linalg."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from compiler.offload.host_text import HostText, extent, index_names
from emu.errors import CompileError, option
from emu.wording import nearest

_TENSOR = r"\s*([A-Za-z_]\w*)\s*\(([^()]*)\)\s*"
_FORM = re.compile(rf"{_TENSOR}\+=(!?){_TENSOR}\*{_TENSOR}")


def text_of(contraction: str, sizes: Mapping[str, int], kind: str) -> str:
    """A host program that does it with elements `kind`; `+=!` begins with zeros, `+=` with what is given.

    A factor may be read at sums of indices, as `O(h) += I(2*h+p) * W(p)`. Raises CompileError for what is no
    contraction, and for an index without a size.
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
        used = [each for index in indices for each in index_names(index)]
        if len(set(used)) != len(used):
            raise CompileError(f"{name}({','.join(indices)}) has an index twice: diagonals are no contractions")
    factors = {name for index in (*first, *second) for name in index_names(index)}
    for index in result:
        if index not in factors:
            raise CompileError(f"the index {index} of {names[0]} is none of {names[1]} and {names[2]}")
    _check([*result, *sorted(factors - set(result))], sizes)

    def shape(indices: Sequence[str]) -> list[int]:
        return [extent(index, sizes) for index in indices]

    text = HostText(kind)
    a, b = text.input(names[1], shape(first)), text.input(names[2], shape(second))
    before = text.zeros(shape(result)) if found[3] else text.input(names[0], shape(result), text.sums)
    return text.function(text.add_products((before, result), ((a, first), (b, second))))


def _check(loops: Sequence[str], sizes: Mapping[str, int]) -> None:
    """Raise CompileError unless each index has a size, and each size an index."""
    if missing := [index for index in loops if index not in sizes]:
        raise CompileError(f"the index {missing[0]} has no size: give {option('size')} {missing[0]}=N")
    if unknown := [index for index in sizes if index not in loops]:
        raise CompileError(f"the contraction has no index {unknown[0]!r}{nearest(unknown[0], loops)}")
