"""What a device grants to the products of a module: how many crossbars of a core one may take, and all together."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from compiler.dialects import cim, cinm
from compiler.offload.context import OffloadContext
from compiler.offload.groups import spec_of
from emu.errors import CompileError
from emu.isa.dtypes import DType
from emu.program.banks import Bank
from emu.program.group import GroupSpec


@dataclass(frozen=True, slots=True)
class Granted:
    """`places` are the crossbars of each core, for any weights of the module; `crossbars` may be held at a time."""

    places: int
    crossbars: int
    bank: Bank  # of one core, with nothing held yet

    @property
    def most(self) -> int:
        """Crossbars that one product may take."""
        return min(self.places, self.crossbars)


def spec_of_product(op: cinm.GemmOp | cinm.GemvOp, chip: OffloadContext) -> GroupSpec:
    """The group that a product takes; raises CompileError for types that crossbars do not have."""
    matrix, made = op.matrix.type, op.result.type
    shape = matrix.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    rows_cols = shape if isinstance(op, cinm.GemmOp) else shape[::-1]
    return spec_of(op, chip, rows_cols, matrix, made.get_element_type())  # pyright: ignore[reportAttributeAccessIssue]


def granted(module: ModuleOp, chip: OffloadContext, crossbars: int | None, name: str) -> Granted:
    """Of a device, to at most `crossbars` at a time (None: as many as there are), as the pass `name` says.

    Raises CompileError for fewer than one, and for weights of which a core does not hold one.
    """
    if crossbars is not None and crossbars < 1:
        raise CompileError(f"{name}: nothing is done with {crossbars} crossbars: give a number from 1 on")
    weights, cells = set[DType](), 1
    for op in module.walk():
        spec = _spec(op, chip)
        if spec is not None and spec.weight not in weights:
            weights.add(spec.weight)
            cells = max(cells, chip.arch.cells(spec.weight))
    places = chip.arch.core.crossbars // cells
    bank = Bank(chip.arch)
    bank.expect(weights)
    every = places * chip.cores
    return Granted(places, every if crossbars is None else min(crossbars, every), bank)


def _spec(op: Operation, chip: OffloadContext) -> GroupSpec | None:
    if isinstance(op, cinm.PRODUCTS):
        return spec_of_product(op, chip)
    if isinstance(op, cim.AcquireOp):
        kind = op.crossbar.type
        assert isinstance(kind, cim.CrossbarType)
        return spec_of(op, chip, kind.matrix.get_shape(), kind.matrix, kind.sums)
    return None
