"""Short forms for the attributes that our dialects use: integer arrays, strings, epilogues."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    TensorType,
    f64,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.types import ELEMENTS, dtype_of
from emu.isa.dtypes import DType
from emu.program.form import Box, Form

_WORD = 8  # bytes of an i64
Epilogue = tuple[tuple[str, tuple[float, ...]], ...]  # activation names with their parameters, in order


def ints(values: Iterable[int]) -> DenseArrayBase:
    """An `array<i64: ...>`."""
    return _ints(tuple(values))


@lru_cache(maxsize=4096)
def _ints(numbers: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase(i64, BytesAttr(i64.pack(numbers)))


def values(attribute: DenseArrayBase | None) -> tuple[int, ...]:
    """The integers of an `array<i64: ...>`; empty for None."""
    if attribute is None:
        return ()
    if attribute.elt_type is i64:  # ours, not of a text: they are read often
        content = attribute.data.data
        return struct.unpack(f"<{len(content) // _WORD}q", content)
    return tuple(cast(DenseArrayBase[IntegerType], attribute).get_values())


def pairs(attribute: DenseArrayBase | None) -> tuple[tuple[int, int], ...]:
    """The integers of an `array<i64: ...>` two by two."""
    flat = values(attribute)
    return tuple(zip(flat[::2], flat[1::2], strict=True))


def strings(texts: Iterable[str]) -> ArrayAttr[StringAttr]:
    """An array of string attributes."""
    return ArrayAttr([StringAttr(text) for text in texts])


def forms(given: Iterable[Form | None]) -> ArrayAttr[DictionaryAttr]:
    """Forms as `[{shape = ..., extent = ..., layout = [...]}]`; empty dictionaries for None."""
    return ArrayAttr([DictionaryAttr(form_properties(form) if form else {}) for form in given])


def repeated(form: DictionaryAttr | None, count: int) -> ArrayAttr[DictionaryAttr]:
    """One form for each of `count` results; empty dictionaries for None."""
    return ArrayAttr([form if form is not None else DictionaryAttr({})] * count)


def form_properties(form: Form) -> dict[str, Attribute]:
    """The properties `shape`, `extent` and `layout` of an operation on a tensor."""
    return {"shape": ints(form.shape), "extent": ints(form.extent), "layout": strings(form.layout)}


def form_of(properties: Mapping[str, Attribute]) -> Form:
    """The form in the properties `shape`, `extent` and `layout`; raises VerifyException if they hold none."""
    shape, extent, layout = (properties.get(name) for name in ("shape", "extent", "layout"))
    if not isinstance(shape, DenseArrayBase) or not isinstance(extent, DenseArrayBase) or not _are_texts(layout):
        raise VerifyException('a form is {shape = array<i64: 1, 8>, extent = array<i64: 8, 1, 1>, layout = ["", "C"]}')
    if not shape.elt_type == extent.elt_type == i64:
        raise VerifyException("shape and extent must be array<i64>")
    form = Form(values(shape), values(extent), tuple(axes.data for axes in cast(ArrayAttr[StringAttr], layout)))
    if fault := form.fault():
        raise VerifyException(fault)
    return form


def _are_texts(attribute: Attribute | None) -> bool:
    return isinstance(attribute, ArrayAttr) and all(isinstance(item, StringAttr) for item in attribute)


def boxes(offsets: DenseArrayBase, tiles: Iterable[SSAValue]) -> list[Box]:
    """The box of each tile, which begins at `offsets`: as many numbers as it has sizes, in the order of memory."""
    numbers = iter(values(offsets))
    return [tuple((low, low + size) for size, low in zip(shape_of(tile), numbers, strict=False)) for tile in tiles]


def bounds(attribute: DenseArrayBase, axes: int) -> list[Box]:
    """Boxes of so many axes from an attribute that holds a first and a last number of each."""
    flat = pairs(attribute)
    return [flat[at : at + axes] for at in range(0, len(flat), axes)]


@lru_cache(maxsize=4096, typed=True)
def integer(value: int) -> IntegerAttr:
    """A 64-bit integer attribute."""
    return IntegerAttr(value, i64)


def real(value: float) -> FloatAttr:
    """A double-precision attribute: exact for every float32 parameter."""
    return FloatAttr(value, f64)


def epilogue_attribute(epilogue: Epilogue) -> ArrayAttr[DictionaryAttr]:
    """Activations as `[{fn = "clip", args = [0.0, 6.0]}]`."""
    return ArrayAttr(
        [
            DictionaryAttr({"fn": StringAttr(name), "args": ArrayAttr([real(value) for value in args])})
            for name, args in epilogue
        ]
    )


def epilogue_of(attribute: ArrayAttr[DictionaryAttr] | None) -> Epilogue:
    """The inverse of `epilogue_attribute`; empty for None."""
    activations: list[tuple[str, tuple[float, ...]]] = []
    for entry in attribute or ():
        args = cast(ArrayAttr[Attribute], entry.data["args"])
        name = cast(StringAttr, entry.data["fn"]).data
        activations.append((name, tuple(cast(FloatAttr, arg).value.data for arg in args)))
    return tuple(activations)


_MOST_TYPES = 1 << 16  # that are remembered, whatever else this process compiles
_SHAPES: dict[int, tuple[Attribute, tuple[int, ...]]] = {}  # by the identity of a type, which stays alive here


@lru_cache(_MOST_TYPES)
def _tensor(shape: tuple[int, ...], dtype: DType) -> TensorType:
    return TensorType(ELEMENTS[dtype], shape)


@lru_cache(_MOST_TYPES)
def _memref(shape: tuple[int, ...], dtype: DType) -> MemRefType:
    return MemRefType(ELEMENTS[dtype], shape)


def tile_type(shape: Sequence[int], dtype: DType) -> TensorType:
    """A type such as `tensor<HxWxCxf32>`, built once per shape and element type."""
    return _tensor(tuple(shape), dtype)


def buffer_type(shape: Sequence[int], dtype: DType) -> MemRefType:
    """A type such as `memref<HxWxCxf32>`, built once per shape and element type."""
    return _memref(tuple(shape), dtype)


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The static shape of a tensor or memref value."""
    kind = cast(TensorType | MemRefType, value.type)
    known = _SHAPES.get(id(kind))
    if known is None or known[0] is not kind:
        if len(_SHAPES) >= _MOST_TYPES:
            _SHAPES.clear()
        _SHAPES[id(kind)] = known = kind, tuple(kind.get_shape())
    return known[1]


def bytes_of(value: SSAValue) -> int:
    """Bytes of a tile or buffer."""
    return prod(shape_of(value)) * dtype_of(value).size
