"""Splits a serialised ONNX model into its structure and the bytes of its large initialisers, without copying those.

Protobuf would copy every weight at least twice. Instead the wire format (protobuf.dev/programming-guides/encoding) is
walked just deep enough to cut the elements out of the initialisers; what is left is small and parsed as usual. A
Constant node that holds a large tensor, as older exporters write weights, becomes an initialiser on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from onnx import ModelProto, TensorProto

from compiler.basis.limits import MAX_FIELDS, MAX_STRUCTURE

LARGE = 4096  # bytes; smaller initialisers stay in the structure, since shape inference reads them
# Field numbers of onnx.proto.
_MODEL_GRAPH, _GRAPH_NODE, _GRAPH_INITIALIZER = 7, 1, 5
_NODE_OUTPUT, _NODE_KIND, _NODE_ATTRIBUTE, _NODE_DOMAIN, _ATTRIBUTE_TENSOR = 2, 4, 5, 7, 5
_TENSOR_TYPE, _TENSOR_FLOATS, _TENSOR_NAME, _TENSOR_RAW_DATA = 2, 4, 8, 9
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5  # wire types
_MAX_VARINT = 10  # bytes


class WireError(ValueError):
    """Bytes that are no protobuf message."""


class BudgetError(WireError):
    """A message that is well formed, but larger than any network."""


class ByteRange(NamedTuple):
    """Bytes [begin, end) of the file."""

    begin: int
    end: int


class _Field(NamedTuple):
    number: int
    kind: int
    whole: ByteRange  # with tag and length
    payload: ByteRange


@dataclass(frozen=True, slots=True)
class Split:
    """`structure`: the model without the bytes that were cut out; `raw`: by index of an initialiser, where its are."""

    structure: bytes
    raw: dict[int, ByteRange]


def split_model(buffer: memoryview) -> Split:
    """Cut the large initialisers out of a serialised ModelProto; raises WireError if it is malformed.

    Raises BudgetError for a structure of more bytes or fields than any network has.
    """
    raw: dict[int, ByteRange] = {}
    parts: list[bytes | memoryview] = []
    initializers, budget = 0, _Budget()
    for field in budget.spend(_fields(buffer, ByteRange(0, len(buffer)))):
        if field.number != _MODEL_GRAPH or field.kind != _LENGTH:
            parts.append(buffer[slice(*field.whole)])
            continue
        graph: list[bytes | memoryview] = []
        for inner in budget.spend(_fields(buffer, field.payload)):
            content = buffer[slice(*inner.whole)]
            if inner.number == _GRAPH_INITIALIZER and inner.kind == _LENGTH:
                content = _cut_tensor(buffer, inner, budget, initializers, raw)
                initializers += 1
            elif inner.number == _GRAPH_NODE and (constant := _large_constant(buffer, inner, budget)) is not None:
                content = _cut_tensor(buffer, constant.tensor, budget, initializers, raw, constant.name)
                initializers += 1
            graph.append(content)
        parts.append(_message(_MODEL_GRAPH, graph))
    return Split(_joined(parts), raw)


def count_fields(structure: bytes) -> None:
    """Raise BudgetError if the model has too many fields: an empty message of 2 bytes takes a hundred when parsed."""
    if len(structure) <= MAX_FIELDS:
        return
    buffer, budget = memoryview(structure), _Budget()
    pending: list[tuple[ByteRange, Any]] = [(ByteRange(0, len(buffer)), ModelProto.DESCRIPTOR)]
    while pending:
        span, message = pending.pop()
        for field in budget.spend(_fields(buffer, span)):
            kind = message.fields_by_number.get(field.number)
            if field.kind == _LENGTH and kind is not None and kind.message_type is not None:
                pending.append((field.payload, kind.message_type))


class _Budget:
    """Counts fields as they are read; raises BudgetError when they are too many."""

    def __init__(self) -> None:
        self._left = MAX_FIELDS

    def spend(self, fields: Iterator[_Field]) -> Iterator[_Field]:
        for field in fields:
            self._left -= 1
            if self._left < 0:
                raise BudgetError(f"it has more than {MAX_FIELDS} fields, which is more than any network has")
            yield field


def _joined(parts: list[bytes | memoryview]) -> bytes:
    size = sum(len(part) for part in parts)
    if size > MAX_STRUCTURE:
        raise BudgetError(f"it has {size} bytes besides its weights, more than the {MAX_STRUCTURE} of any network")
    return b"".join(parts)


class _Constant(NamedTuple):
    """A Constant node: the field of its tensor, and the bytes of the field that names its output."""

    tensor: _Field
    name: bytes


def _large_constant(buffer: memoryview, node: _Field, budget: _Budget) -> _Constant | None:
    """What a node holds if it is a Constant of a large tensor, and nothing else."""
    if node.kind != _LENGTH or node.payload.end - node.payload.begin < LARGE:
        return None
    fields = list(budget.spend(_fields(buffer, node.payload)))
    attributes = [field.payload for field in fields if field.number == _NODE_ATTRIBUTE and field.kind == _LENGTH]
    outputs = [bytes(buffer[slice(*field.payload)]) for field in fields if field.number == _NODE_OUTPUT]
    kinds = [bytes(buffer[slice(*field.payload)]) for field in fields if field.number == _NODE_KIND]
    domains = [field for field in fields if field.number == _NODE_DOMAIN and len(buffer[slice(*field.payload)])]
    if kinds != [b"Constant"] or domains or len(outputs) != 1 or len(attributes) != 1:
        return None
    inside = budget.spend(_fields(buffer, attributes[0]))
    tensors = [field for field in inside if field.number == _ATTRIBUTE_TENSOR]
    if len(tensors) != 1 or tensors[0].kind != _LENGTH:
        return None
    return _Constant(tensors[0], _message(_TENSOR_NAME, [outputs[0]]))


def _cut_tensor(
    buffer: memoryview, field: _Field, budget: _Budget, index: int, raw: dict[int, ByteRange], name: bytes = b""
) -> bytes | memoryview:
    """The TensorProto as initialiser `index`, without its elements if they are many: their span is noted in `raw`.

    `name` is a field that is added.
    """
    if field.payload.end - field.payload.begin < LARGE:
        return buffer[slice(*field.whole)]
    kept: list[bytes | memoryview] = []
    fields = list(budget.spend(_fields(buffer, field.payload)))
    kinds = [buffer[inner.payload.begin] for inner in fields if inner.number == _TENSOR_TYPE and inner.kind == _VARINT]
    # Floats are stored like their raw bytes; integers as numbers of variable length, which are no view of an array.
    elements = (_TENSOR_RAW_DATA, _TENSOR_FLOATS) if kinds == [TensorProto.FLOAT] else (_TENSOR_RAW_DATA,)
    for inner in fields:
        large = inner.payload.end - inner.payload.begin >= LARGE
        if inner.number in elements and inner.kind == _LENGTH and large:
            if index in raw:
                raise WireError(f"the tensor at byte {field.whole.begin} holds its elements twice")
            raw[index] = inner.payload
        else:
            kept.append(buffer[slice(*inner.whole)])
    return _message(_GRAPH_INITIALIZER, [*kept, name])


def _fields(buffer: memoryview, span: ByteRange) -> Iterator[_Field]:
    """The fields of the message in `span`, each checked to end inside it."""
    position = span.begin
    while position < span.end:
        tag, begin = _varint(buffer, position, span.end)
        kind = tag & 7
        if kind == _LENGTH:
            size, begin = _varint(buffer, begin, span.end)
            end = begin + size
        elif kind == _VARINT:
            end = _varint(buffer, begin, span.end)[1]
        elif kind in (_FIXED64, _FIXED32):
            end = begin + (8 if kind == _FIXED64 else 4)
        else:
            raise WireError(f"unknown wire type {kind} at byte {position}")
        if end > span.end or tag >> 3 == 0:
            raise WireError(f"the field at byte {position} ends at {end}, beyond {span.end}")
        yield _Field(tag >> 3, kind, ByteRange(position, end), ByteRange(begin, end))
        position = end


def _varint(buffer: memoryview, position: int, end: int) -> tuple[int, int]:
    """The variable-length number at `position` and the position after it."""
    value = 0
    for index in range(min(_MAX_VARINT, end - position)):
        byte = buffer[position + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, position + index + 1
    raise WireError(f"the number at byte {position} does not end")


def _message(number: int, parts: list[bytes | memoryview]) -> bytes:
    """A length-delimited field made of `parts`."""
    size, header = sum(len(part) for part in parts), bytearray([number << 3 | _LENGTH])
    while size > 0x7F:
        header.append(size & 0x7F | 0x80)
        size >>= 7
    return _joined([bytes(header), bytes([size]), *parts])
