"""Parses a text into a module, with the line and the names of the values of each operation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IndexType,
    IntegerType,
    ModuleOp,
    ShapedType,
    StringAttr,
    TensorType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.parser import AttrParser, UnresolvedOperand
from xdsl.utils.exceptions import ParseError, VerifyException

from compiler.basis.suggest import suggestion
from compiler.dialects.linalg.dialects import text_context
from compiler.frontend.text.sources import BlankedSource, source_of
from compiler.session.source_text import LocatingParser
from emu.errors import CompileError
from emu.files import Mapped

_UNREGISTERED = re.compile(r"Operation (\S+) is not registered")
_CODE = re.compile(r"^\s*(?!//)\S", re.MULTILINE)
_RESULT = re.compile(r"%([\w.$-]+)")
# What to do about texts of other levels.
_ADVICE = {
    "stablehlo": "lower it first, by the pass stablehlo-legalize-to-linalg of torch-mlir-opt",
    "mhlo": "lower it first, by stablehlo-opt and the pass stablehlo-legalize-to-linalg of torch-mlir-opt",
    "tosa": "lower it first, by the passes tosa-to-linalg-named and tosa-to-linalg of mlir-opt, on functions",
    "torch": 'export it with output_type="linalg-on-tensors"',
    "tm_tensor": "scans, scatters, sorts and attention of torch become that: write them by other operations",
    "memref": "give the text before bufferisation, on tensors",
    "quant": "give quantised values as integers, or the network as ONNX with QuantizeLinear",
}
# Names that other compilers, and older versions, have for operations of dialects that are known.
_OTHER_NAMES = {
    "cinm.op.gemm": "write cinm.gemm(%a, %b)",
    "cinm.op.gemv": "write cinm.gemv(%a, %x)",
    "cim.acquire_device": "leave it out, the device is that of the command",
    "cim.release_device": "leave it out, the device is that of the command",
    "cim.acquire_crossbar": "acquire crossbars by cim.acquire, and write the matrix by cim.write",
    "cim.release_crossbar": "write cim.release",
    "cim.op.gemm": "write the matrix by cim.write, and call cim.gemm",
    "cim.op.gemv": "write the matrix by cim.write, and call cim.gemm",
    "cim.matmul": "write cim.gemm, or memristor.gemm where crossbars are numbers",
    "transform.structured.match_ops": 'write transform.structured.match ops{["linalg.matmul"]} in %module, with types',
    "transform.structured.tile": "write transform.structured.tile_using_for, with types",
    "transform.structured.tile_using_forall": "write transform.structured.tile_using_for: the host has one thread",
    "transform.include": "write what the sequence does in its place",
    "transform.select": "write transform.structured.match of what the handle stands for",
}


@dataclass(frozen=True)
class TextModule:
    """A module that was read; `lines` say where each operation stands, `names` what its first result is called."""

    module: ModuleOp
    where: str
    blobs: Mapping[str, memoryview]
    lines: Mapping[Operation, int]
    names: Mapping[Operation, str]

    def line_of(self, op: Operation) -> str:
        """`line 12: `, where an operation, or the one around it, stands."""
        inner: Operation | None = op
        while inner is not None and inner not in self.lines:
            inner = inner.parent_op()
        return f"line {self.lines[inner]}: " if inner is not None else ""

    def refuse(self, op: Operation, reason: str) -> CompileError:
        """The error "file: line 12: linalg.matmul reason"."""
        return CompileError(f"{self.where}: {self.line_of(op)}{op.name} {reason}")


_TENSOR = re.compile(r"tensor<[0-9a-z?]+>")
_DICTIONARY = re.compile(r"\{[^{}]+\}")
_ELEMENTS = (IntegerType, IndexType, AnyFloat, ComplexType)


class _Element(AttrParser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
    """An element of a dense constant."""

    def to_type(self, parser: AttrParser, type: Any) -> Any:
        """Floats in hexadecimal digits are their bits; xDSL takes them for whole numbers."""
        if isinstance(type, AnyFloat) and self.span.text.startswith("0x"):
            return type.unpack(int(self.span.text, 16).to_bytes(type.size, "little"), 1)[0]
        return super().to_type(parser, type)


class _TextParser(LocatingParser):
    """Reads dense constants, which texts of other compilers hold; elements in digits have been read already."""

    _TensorLiteralElement = _Element

    def __init__(self, context: Context, source: BlankedSource, name: str) -> None:
        super().__init__(context, source.text, name)
        self._elements = source.elements
        self._text, self._tensors = source.text, dict[str, TypeAttribute]()
        self._dictionaries = dict[str, dict[str, Attribute]]()

    def parse_optional_type(self) -> TypeAttribute | None:
        """A type; tensors that are spelt alike are read once, for texts hold few of them, at every operand."""
        found = _TENSOR.match(self._text, self.pos)
        if found is None:
            return super().parse_optional_type()
        if (known := self._tensors.get(found[0])) is not None:
            self._resume_from(found.end())
            return known
        made = super().parse_optional_type()
        if made is not None:
            self._tensors[found[0]] = made
        return made

    def parse_optional_dictionary_attr_dict(self) -> dict[str, Attribute]:
        """Attributes in braces; those that are spelt alike are read once: maps and iterators of most operations."""
        found = _DICTIONARY.match(self._text, self.pos)
        if found is None:
            return super().parse_optional_dictionary_attr_dict()
        if (known := self._dictionaries.get(found[0])) is not None:
            self._resume_from(found.end())
            return dict(known)
        made = super().parse_optional_dictionary_attr_dict()
        # The elements of constants are no longer in the text, and an attribute may hold the brace that was found.
        if "dense" not in found[0] and self._text.rfind("}", 0, self.pos) == found.end() - 1:
            self._dictionaries[found[0]] = dict(made)
        return made

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> Any:
        """A value that is there already; xDSL takes those that come later, too, for the sake of other regions."""
        if operand.operand_name not in self.ssa_values:
            name = operand.span.text
            self.raise_error(
                f"{name} is used where it is not defined: make it before, in this block or around it", operand.span
            )
        return super().resolve_operand(operand, type)

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> Any:
        """`<elements> : type`; of one element for all, one is kept: xDSL would make as many as there are."""
        self.parse_punctuation("<", " in dense attribute")
        written, values, shape = self._elements.get(self.pos), list[Any](), [0]
        if self.parse_optional_str_literal() is not None:
            if written is None:
                self.raise_error("a dense constant has digits that are not hexadecimal")
            self.parse_punctuation(">", " in dense attribute")
        elif self.parse_optional_punctuation(">") is None:
            values, shape = self._parse_tensor_literal()
            self.parse_punctuation(">", " in dense attribute")
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._parse_dense_literal_type()
        kind = type.element_type
        if written is not None:
            return DenseIntOrFPElementsAttr(type, BytesAttr(self._bytes(written, kind, prod(type.get_shape()))))
        if shape and list(type.get_shape()) != shape and values:
            self.raise_error(f"the elements of a dense constant have shape {shape}, its type is {type}")
        if not values and prod(type.get_shape()):
            self.raise_error(f"a dense constant has no elements, its type is {type}")
        elements: Any = [value.to_type(self, kind) for value in values]
        flat = DenseIntOrFPElementsAttr.from_list(TensorType(kind, [len(elements)]), elements)
        return DenseIntOrFPElementsAttr(type, flat.data)

    def _parse_dense_literal_type(self) -> Any:
        """The type of a constant; xDSL would make the constraint anew for each."""
        kind = self.parse_type()
        if not isinstance(kind, TensorType | VectorType) or not isinstance(kind.element_type, _ELEMENTS):
            self.raise_error(f"a dense constant is a tensor or vector of numbers, not {kind}")
        if not kind.has_static_shape():
            self.raise_error(f"a dense constant has a static shape, not {kind}")
        return kind

    def _bytes(self, data: bytes, kind: Any, count: int) -> bytes:
        """The elements, or the one for all, with which a constant of `count` is written; truth values may be bits."""
        if kind == i1 and len(data) not in (1, count) and len(data) == (count + 7) // 8:
            data = np.unpackbits(np.frombuffer(data, np.uint8), count=count, bitorder="little").tobytes()
        size = 1 if kind == i1 else kind.size
        if len(data) not in (size, count * size):
            self.raise_error(f"a dense constant has {len(data)} bytes, where {count * size} are needed")
        return data

    def _parse_builtin_dense_resource_attr(self) -> DenseResourceAttr:
        """`<name> : type`; xDSL would keep the name for ever, and change it where it is met again."""
        with self.in_angle_brackets():
            name = self.parse_optional_str_literal() or self.parse_identifier(" for resource handle")
        self.parse_characters(":", " in dense_resource attribute")
        kind = self.parse_type()
        if not isinstance(kind, ShapedType):
            self.raise_error(f"a dense_resource has a tensor type, not {kind}")
        return DenseResourceAttr(StringAttr(name), kind)  # pyright: ignore[reportArgumentType]


def parse_text(data: Mapped, where: str, context: Context | None = None) -> TextModule:
    """The module of a text, verified; raises CompileError with file, line and column.

    `context` has the dialects of the text.
    """
    source = source_of(data, where)
    if not _CODE.search(source.text):
        raise CompileError(f"{where} is empty: give the text of a module")
    parser = _TextParser(context or text_context(), source, where)
    try:
        module = parser.parse_module()
    except ParseError as error:
        line, column = source.place(_place(error, source.text))
        raise CompileError(f"{where}: line {line}, column {column}: {_reason(error.msg, parser.ctx)}") from None
    except CompileError:
        raise
    except Exception as error:  # types check themselves as they are read, and raise what they like
        line, _ = source.place(parser.pos if parser.under_way is None else parser.under_way)
        raise CompileError(f"{where}: line {line}: cannot be read ({_plain(error)})") from None
    lines, names, line, at = dict[Operation, int](), dict[Operation, str](), 1, 0
    for op, begin in sorted(parser.begins.items(), key=lambda entry: entry[1]):
        line, at = line + source.text.count("\n", at, begin), begin
        lines[op] = line
        if found := _RESULT.match(source.text, begin):
            names[op] = found[1]
    made = TextModule(module, where, source.blobs, lines, names)
    _verify(made)
    return made


def _place(error: ParseError, text: str) -> int:
    """Where the fault is, in characters: of an unknown operation xDSL tells what stands behind its name."""
    unknown, at = _UNREGISTERED.fullmatch(error.msg), error.span.start
    found = text.rfind(unknown[1], 0, at) if unknown else -1
    return at if found < 0 else found


def _reason(message: str, context: Context) -> str:
    unknown = _UNREGISTERED.fullmatch(message)
    if unknown is None:
        return " ".join(message.split())
    name = unknown[1]
    known, dialect = [op.name for op in context.loaded_ops], name.partition(".")[0]
    advice = _ADVICE.get(dialect)
    if dialect in {each.partition(".")[0] for each in known}:
        advice = _OTHER_NAMES.get(name)
    return f"{name} is not understood{f': {advice}' if advice else suggestion(name, known)}"


def _plain(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0][:200] if text else type(error).__name__


def _verify(text: TextModule) -> None:
    """Raise CompileError for the first operation that its dialect does not allow."""
    for op in text.module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            raise text.refuse(op, f"is not valid: {_plain(error)}") from None
        except Exception as error:  # xDSL's checks raise what they like
            raise text.refuse(op, f"cannot be checked ({_plain(error)})") from None
