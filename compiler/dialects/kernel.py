"""Dialect `kernel`, the form of its operations: on tiles (tensors) first, on buffers (memrefs) once these are known.

`"kernel.vadd"(%left, %right)` on tensors has its inputs as operands and makes results. On memrefs it has no results:
its operands are inputs, outputs, scratch and constant data, as many of each as `segments` says; it tells its ONNX
`node`, the `part` of it, and which `rows` of its inputs and outputs it works on. One class serves both forms.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import opt_prop_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from compiler.basis.limits import MAX_SIZE
from compiler.dialects import attributes as attr
from compiler.dialects.assembly import Operands, WrittenOp
from compiler.dialects.epilogue import Epilogue, EpilogueAttr, epilogue_of
from compiler.dialects.pim import ConstantOp
from compiler.dialects.rows import Rows, RowsAttr, rows_of, verify_rows
from compiler.dialects.types import dtype_of
from emu.isa.dtypes import DType
from emu.program.form import LEAST

Shape = tuple[int, ...]  # in the order of memory: [row][...][channel], such as [height][width][channel]
SEGMENTS = ("inputs", "outputs", "scratch", "constants")
WORDS = ("ins", "outs", "scratch", "constants")  # before the buffers of each of them
ARRAYS = {"kernel": (1, 1), "strides": (1, 1), "dilations": (1, 1), "pads": (2, 0)}  # -> numbers per axis, the least


class KernelOp(WrittenOp, ABC):
    """Any kernel. `epilogue` is a list of activations, applied in place to the results.

    On buffers, operations with the same `unit` are instances of one kernel on other rows or pixels: they share array
    groups. On tiles, kernels of one compute with the same `unit` do.
    """

    DTYPES: ClassVar[frozenset[DType]] = frozenset({DType.f32})  # element types that it works on

    operands_ = var_operand_def(TensorType | MemRefType)
    made = var_result_def(TensorType)
    epilogue = opt_prop_def(EpilogueAttr)
    segments = opt_prop_def(DenseArrayBase)
    node = opt_prop_def(StringAttr)
    part = opt_prop_def(StringAttr)
    rows = opt_prop_def(RowsAttr)
    unit = opt_prop_def(IntegerAttr)

    # operands ---------------------------------------------------------------------------------------------------

    def _operand_group(self, index: int) -> Sequence[SSAValue]:
        first, end = attr.spans(self.properties["segments"])[index]
        return self.operands[first:end]

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The tiles or buffers that are read."""
        return self.operands if "segments" not in self.properties else self._operand_group(0)

    @property
    def outputs(self) -> Sequence[SSAValue]:
        """The tiles or buffers that are made."""
        return self.made if "segments" not in self.properties else self._operand_group(1)

    @property
    def scratch(self) -> Sequence[SSAValue]:
        """Buffers for intermediate values; none on tiles."""
        return () if "segments" not in self.properties else self._operand_group(2)

    @property
    def constants(self) -> Sequence[SSAValue]:
        """Buffers of constant data; none on tiles."""
        return () if "segments" not in self.properties else self._operand_group(3)

    @property
    def kept(self) -> Sequence[SSAValue]:
        """The scratch buffers that hold something from one instance of the kernel to the next."""
        return ()

    @property
    def dtype(self) -> DType:
        """The element type of what it makes."""
        return dtype_of(self.outputs[0])

    @property
    def activations(self) -> Epilogue:
        """The epilogue: names with their parameters."""
        return epilogue_of(self.epilogue)

    def _shapes(self, values: Sequence[SSAValue], rows: Sequence[Rows]) -> list[Shape]:
        shapes = [attr.shape_of(value) for value in values]
        return [(part.total, *shape[1:]) for part, shape in zip(rows, shapes, strict=True)] if rows else shapes

    @property
    def input_shapes(self) -> list[Shape]:
        """Shapes of the whole tiles that are read, however many rows of them the buffers hold."""
        return self._shapes(self.inputs, rows_of(self.rows)[: len(self.inputs)])

    @property
    def output_shapes(self) -> list[Shape]:
        """Shapes of the whole tiles that are made."""
        return self._shapes(self.outputs, rows_of(self.rows)[len(self.inputs) :])

    def on_buffers(self, *operands: Sequence[SSAValue], properties: Mapping[str, Attribute]) -> Self:
        """The same kernel on buffers: inputs, outputs, scratch and constants; and the properties that only then are."""
        counts = attr.ints(map(len, operands))
        flat = [value for values in operands for value in values]
        return type(self).create(operands=flat, properties={**self.properties, "segments": counts, **properties})

    # text -------------------------------------------------------------------------------------------------------

    def _printed(self) -> Mapping[str, Attribute]:
        """All but how many buffers there are of each kind, where that shows."""
        return {name: value for name, value in self.properties.items() if name != "segments" or not self._is_counted}

    @property
    def _is_counted(self) -> bool:
        """Whether the property segments holds the numbers of buffers."""
        counts = attr.values(self.segments) if isinstance(self.segments, DenseArrayBase) else ()
        return len(counts) == len(SEGMENTS) and min(counts) >= 0 and sum(counts) == len(self.operands) > 0

    def _print_operands(self, printer: Printer) -> bool:
        """Buffers as `ins(%x) outs(%y)`."""
        if not self._is_counted:
            return super()._print_operands(printer)
        for index, word in enumerate(WORDS):
            if values := self._operand_group(index):
                printer.print_string(f" {word}")
                printer.print_operands(values)
        return False

    @classmethod
    def _parse_operands(cls, parser: Parser) -> Operands:
        """Tiles, or the buffers of each kind and how many there are."""
        groups = [
            parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
            if parser.parse_optional_keyword(word)
            else []
            for word in WORDS
        ]
        if not any(groups):
            return super()._parse_operands(parser)
        return [name for names in groups for name in names], [], {"segments": attr.ints(map(len, groups))}

    # verifier ---------------------------------------------------------------------------------------------------

    def verify_(self) -> None:
        """One of the two forms; activations that exist; arrays that can be; then what the kernel says of its shapes."""
        self._verify_form()
        if self.epilogue is not None:
            self.epilogue.verify_activations()
        shapes = self.input_shapes, self.output_shapes
        if any(len(shape) < LEAST for shape in (*shapes[0], *shapes[1])):
            raise VerifyException(f"works on tiles of at least {LEAST} sizes, such as [height][width][channel]")
        self._verify_windows(len(attr.shape_of(self.outputs[0])) - 1 if len(self.outputs) else 0)
        self.verify_elements()
        self.verify_shapes(*shapes)

    def _verify_windows(self, axes: int) -> None:
        """Kernel, strides, dilations and pads hold so many numbers for each of the `axes` that are not the channels."""
        for name, (each, least) in ARRAYS.items():
            values = self.properties.get(name)
            if isinstance(values, DenseArrayBase):
                numbers = attr.values(values)
                if len(numbers) != each * axes or min(numbers) < least or max(numbers) > MAX_SIZE:
                    raise VerifyException(
                        f"{name} must hold {each * axes} numbers from {least} on, not {list(numbers)}"
                    )

    def verify_elements(self) -> None:
        """Raise VerifyException unless its tiles or buffers have one element type, which the kernel knows."""
        kinds = {dtype_of(value) for value in (*self.operands, *self.made)}
        if len(kinds) > 1 or not kinds <= self.DTYPES:
            names = ", ".join(sorted(kind.name for kind in kinds))
            known = " or ".join(sorted(kind.name for kind in self.DTYPES))
            raise VerifyException(f"works on elements of one type, {known}, not {names}")

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """Raise VerifyException unless inputs of these shapes give outputs of these."""

    def _verify_form(self) -> None:
        buffers = [isinstance(value.type, MemRefType) for value in self.operands]
        if self.segments is None:
            if any(buffers):
                raise VerifyException("works on tensors or, with the property segments, on memrefs")
            return
        counts = attr.values(self.segments)
        if not all(buffers) or len(self.made):
            raise VerifyException("has the property segments, so its operands are memrefs and it makes no results")
        if len(counts) != len(SEGMENTS) or min(counts) < 0 or sum(counts) != len(buffers):
            raise VerifyException(
                f"segments must hold the numbers of {', '.join(SEGMENTS)}, {len(buffers)} in all, not {list(counts)}"
            )
        if self.node is None:
            raise VerifyException("lacks its property 'node'")
        if any(isinstance(value.owner, ConstantOp) for value in (*self.outputs, *self.scratch)):
            raise VerifyException("cannot have constant data as outputs or scratch")
        if self.rows is not None:
            verify_rows(self, self.rows, (*self.inputs, *self.outputs))
