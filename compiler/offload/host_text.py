"""Builds the text of a host program: one function on tensors, an operation at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from emu.errors import CompileError

# Of elements: the type of sums, and how an element is widened to it.
SUMS: Mapping[str, tuple[str, str]] = {
    "i8": ("i32", "arith.extsi"),
    "i16": ("i32", "arith.extsi"),
    "i32": ("i32", ""),
    "i64": ("i64", ""),
    "f32": ("f32", ""),
}
_TERM = re.compile(r"(?:(\d+)\*)?([A-Za-z_]\w*)")  # an index, or a multiple of one


@dataclass(frozen=True, slots=True)
class HostTensor:
    """A value of the program; `kind` is the type of its elements."""

    name: str
    shape: tuple[int, ...]
    kind: str

    @property
    def type(self) -> str:
        """As it is written."""
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.kind}>"


Operand = tuple[HostTensor, Sequence[str]]  # with an index, or a sum of indices such as h+p or 2*h+p, per dimension


class HostText:
    """A program of elements `kind`, whose sums are of the type that SUMS says."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.sums, self._widening = SUMS[kind]
        self._suffix = "f" if kind.startswith("f") else "i"
        self._inputs, self._lines = list[HostTensor](), list[str]()
        self._count = 0

    def input(self, name: str, shape: Sequence[int], kind: str | None = None) -> HostTensor:
        """A further input, of elements that the program is of."""
        made = HostTensor(f"%{name}", tuple(shape), kind or self.kind)
        self._inputs.append(made)
        return made

    def number(self, value: int, shape: Sequence[int] = (), kind: str | None = None) -> HostTensor:
        """A tensor of which all elements are one number."""
        made = self._made("number", shape, kind or self.kind)
        text = f"{value}.0" if made.kind.startswith("f") else str(value)
        self._lines.append(f"{made.name} = arith.constant dense<{text}> : {made.type}")
        return made

    def zeros(self, shape: Sequence[int]) -> HostTensor:
        """Sums that nothing has been added to."""
        zero, empty = self._made("zero", (), self.sums), self._made("empty", shape, self.sums)
        made = self._made("begin", shape, self.sums)
        self._lines += [
            f"{zero.name} = arith.constant {'0.0' if self._suffix == 'f' else '0'} : {self.sums}",
            f"{empty.name} = tensor.empty() : {made.type}",
            f"{made.name} = linalg.fill ins({zero.name} : {self.sums}) outs({empty.name} : {made.type}) -> {made.type}",
        ]
        return made

    def add_products(self, into: Operand, *terms: tuple[Operand, Operand]) -> HostTensor:
        """What `into` holds, plus the products of both operands of each term, over all indices that `into` lacks."""
        operands = [operand for term in terms for operand in term]
        found = [_indices(index) for _, indices in (into, *operands) for index in indices]
        loops = list(dict.fromkeys(name for each in found for _, name in each))
        result, kept = into[0], set(into[1])
        maps = ", ".join(_map(loops, indices) for _, indices in (*operands, into))
        kinds = ", ".join('"parallel"' if loop in kept else '"reduction"' for loop in loops)
        names, types = (", ".join(getattr(value, part) for value, _ in operands) for part in ("name", "type"))
        arguments = ", ".join(f"%x.{place}: {value.kind}" for place, (value, _) in enumerate(operands))
        made = self._made("sum", result.shape, result.kind)
        self._lines += [
            f"{made.name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}",
            f"    ins({names} : {types}) outs({result.name} : {result.type}) {{",
            f"^bb0({arguments}, %before.: {self.sums}):",
            *(f"  {line}" for line in self._body(len(terms))),
            f"}} -> {result.type}",
        ]
        return made

    def _body(self, terms: int) -> list[str]:
        """The sum of so many products of two arguments each, and of what stood before."""
        lines, products = list[str](), list[str]()
        for term in range(terms):
            factors = [f"%x.{2 * term}", f"%x.{2 * term + 1}"]
            if self._widening:
                lines += [f"{factor}.w = {self._widening} {factor} : {self.kind} to {self.sums}" for factor in factors]
                factors = [f"{factor}.w" for factor in factors]
            lines.append(f"%product.{term} = arith.mul{self._suffix} {', '.join(factors)} : {self.sums}")
            products.append(f"%product.{term}")
        total = products[0]
        for term in range(1, terms):
            lines.append(f"%both.{term} = arith.add{self._suffix} {total}, {products[term]} : {self.sums}")
            total = f"%both.{term}"
        lines.append(f"%more. = arith.add{self._suffix} %before., {total} : {self.sums}")
        return [*lines, f"linalg.yield %more. : {self.sums}"]

    def widened(self, value: HostTensor) -> HostTensor:
        """The elements as sums."""
        return self._cast(self._widening, value, self.sums) if value.kind != self.sums else value

    def narrowed(self, value: HostTensor) -> HostTensor:
        """Sums as elements, which wrap."""
        return self._cast("arith.trunci", value, self.kind) if value.kind != self.kind else value

    def _cast(self, name: str, value: HostTensor, kind: str) -> HostTensor:
        empty, made = (self._made(each, value.shape, kind) for each in ("empty", "cast"))
        loops = [f"d{place}" for place in range(len(value.shape))]
        maps, kinds = ", ".join([_map(loops, loops)] * 2), ", ".join(['"parallel"'] * len(loops))
        self._lines += [
            f"{empty.name} = tensor.empty() : {made.type}",
            f"{made.name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}",
            f"    ins({value.name} : {value.type}) outs({empty.name} : {made.type}) {{",
            f"^bb0(%x.: {value.kind}, %before.: {kind}):",
            f"  %made. = {name} %x. : {value.kind} to {kind}",
            f"  linalg.yield %made. : {kind}",
            f"}} -> {made.type}",
        ]
        return made

    def each(self, name: str, first: HostTensor, second: HostTensor | int) -> HostTensor:
        """An operation of `arith` on two elements, "add", "mul", "max" or "min"; one may be a number."""
        other = second if isinstance(second, HostTensor) else self.number(second, first.shape, first.kind)
        whole, real = ("i", "f") if name in ("add", "mul") else ("si", "imumf")
        suffix = real if first.kind.startswith("f") else whole
        made = self._made("each", first.shape, first.kind)
        self._lines.append(f"{made.name} = arith.{name}{suffix} {first.name}, {other.name} : {made.type}")
        return made

    def clipped(self, value: HostTensor, low: int, high: int) -> HostTensor:
        """Elements that are less or more are these numbers."""
        return self.each("min", self.each("max", value, low), high)

    def spread(self, value: HostTensor, shape: Sequence[int], dimension: int) -> HostTensor:
        """A vector along one dimension of a tensor, in all others repeated."""
        empty, made = (self._made(name, shape, value.kind) for name in ("empty", "spread"))
        others = [str(place) for place in range(len(shape)) if place != dimension]
        self._lines += [
            f"{empty.name} = tensor.empty() : {made.type}",
            f"{made.name} = linalg.broadcast ins({value.name} : {value.type}) outs({empty.name} : {made.type})"
            f" dimensions = [{', '.join(others)}]",
        ]
        return made

    def part(self, value: HostTensor, offsets: Sequence[int], sizes: Sequence[int]) -> HostTensor:
        """Elements from these offsets on."""
        made = self._made("part", sizes, value.kind)
        cut = f"[{', '.join(map(str, offsets))}] [{', '.join(map(str, sizes))}] [{', '.join('1' for _ in sizes)}]"
        self._lines.append(f"{made.name} = tensor.extract_slice {value.name}{cut} : {value.type} to {made.type}")
        return made

    def late(self, value: HostTensor, by: int) -> HostTensor:
        """The elements as many places later along the last dimension, with zeros before and none behind."""
        *others, last = value.shape
        kept = self.part(value, [0] * len(value.shape), [*others, last - by])
        zero, made = self._made("zero", (), value.kind), self._made("late", value.shape, value.kind)
        low = ", ".join([*("0" for _ in others), str(by)])
        points = ", ".join(f"%p.{place}: index" for place in range(len(value.shape)))
        self._lines += [
            f"{zero.name} = arith.constant {'0.0' if value.kind.startswith('f') else '0'} : {value.kind}",
            f"{made.name} = tensor.pad {kept.name} low[{low}] high[{', '.join('0' for _ in value.shape)}] {{",
            f"^bb0({points}):",
            f"  tensor.yield {zero.name} : {value.kind}",
            f"}} : {kept.type} to {made.type}",
        ]
        return made

    def function(self, *results: HostTensor) -> str:
        """The text."""
        inputs = ", ".join(f"{value.name}: {value.type}" for value in self._inputs)
        names, types = (", ".join(getattr(value, part) for value in results) for part in ("name", "type"))
        made = types if len(results) == 1 else f"({types})"
        body = "\n".join(f"  {line}" for line in [*self._lines, f"return {names} : {types}"])
        return f"func.func @main({inputs}) -> {made} {{\n{body}\n}}\n"

    def _made(self, name: str, shape: Sequence[int], kind: str) -> HostTensor:
        """A value that no input has the name of, by a dot."""
        self._count += 1
        return HostTensor(f"%{name}.{self._count}", tuple(shape), kind)


def _indices(text: str) -> list[tuple[int, str]]:
    """The factors and names of a sum of indices; raises CompileError for what is none."""
    found = [_TERM.fullmatch(part.strip()) for part in text.split("+")]
    if not all(found):
        raise CompileError(f"{text!r} is no index: write m, or a sum such as h+p or 2*h+p")
    return [(int(part[1] or 1), part[2]) for part in found if part is not None]


def index_names(text: str) -> list[str]:
    """The names in an index, or in a sum of indices; raises CompileError for what is none."""
    return [name for _, name in _indices(text)]


def extent(text: str, sizes: Mapping[str, int]) -> int:
    """How many elements a dimension has that is read at this index, or sum of indices, of these sizes."""
    return 1 + sum(factor * (sizes[name] - 1) for factor, name in _indices(text))


def _map(loops: Sequence[str], indices: Sequence[str]) -> str:
    results = (" + ".join(f"{name} * {factor}" if factor > 1 else name for factor, name in _indices(index))
               for index in indices)  # fmt: skip
    return f"affine_map<({', '.join(loops)}) -> ({', '.join(results)})>"
