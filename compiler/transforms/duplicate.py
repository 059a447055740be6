"""Pass `duplicate`: layers that multiply get copies of their weights, each of which makes a band of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from compiler.basis.options import of_option
from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.mapping.schedules.copies import Weighing
from compiler.mapping.schedules.duplication import CHOICES
from compiler.mapping.schedules.following import ALONG, ROWS, Banded, Bands, banded
from compiler.mapping.schedules.leading import leading
from compiler.mapping.tiling.matrix import Packing
from compiler.session.context import CompilerContext
from emu.errors import CompileError
from emu.wording import counted, nearest


@dataclass(frozen=True)
class DuplicatePass(ModulePass):
    """Cuts layers with weights into bands of rows, each with crossbars of its own; layers between them follow.

    `goal`, in a pipeline `for`, is a row of `CHOICES` for `cores` (by default those of the options); or `copies` are
    given, a number for each layer that multiplies, in order. Bands that a text has already stay as they are.
    """

    name = "duplicate"
    goal: str = "latency"
    cores: int | None = None
    copies: tuple[int, ...] = ()
    along: str = ROWS
    packing: Packing = of_option("packing")
    placement: str = of_option("placement")
    segments: bool = of_option("segments")

    @classmethod
    def from_spec(cls, spec: ArgSpec) -> Self:
        """`for` is no name in Python."""
        renamed = {"goal" if name == "for" else name: value for name, value in spec.parameters.items()}
        return super().from_spec(ArgSpec(spec.name, renamed))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Cut in place; raises CompileError for settings that do not fit."""
        context, ops = cast(CompilerContext, ctx), list(op.ops)
        if any(isinstance(item, spat.JoinOp) and item.axis is not None for item in ops):
            return  # a text in which layers are cut into bands already
        layers = [op for op in ops if isinstance(op, spat.ProductOp)]
        copies = dict(zip(layers, self._copies(context, ops, len(layers)), strict=True))
        planned: dict[spat.LayerOp, Banded] = {
            layer: banded(attr.shape_of(layer.outputs[0]), count, self.along) for layer, count in copies.items()
        }
        cuts, bands = {**leading(ops, planned), **planned}, Bands()
        for item in ops:
            if isinstance(item, spat.LayerOp | spat.InputOp) and item in cuts:
                bands.cut(item, cuts[item])
            elif isinstance(item, spat.LayerOp):
                bands.follow(item)
            elif isinstance(item, spat.JoinOp):
                bands.join(item)

    def _copies(self, context: CompilerContext, ops: Sequence[Operation], layers: int) -> Sequence[int]:
        """The copies of each of the `layers` layers that multiply."""
        if self.goal not in CHOICES:
            raise CompileError(f"duplicate: for={self.goal} is no schedule{nearest(self.goal, CHOICES)}")
        if self.along not in ALONG:
            raise CompileError(f"duplicate: along={self.along} is no axis{nearest(self.along, ALONG)}: rows or columns")
        if self.cores is not None and self.cores < 1:
            raise CompileError(f"duplicate: cores has {self.cores}, but a layer needs 1 or more")
        if not self.copies:
            weighing = Weighing(context, ops, self.packing, self.placement, self.segments)
            return weighing.copies(CHOICES[self.goal], self.cores or context.cores)
        if len(self.copies) != layers:
            raise CompileError(
                f"duplicate: copies has {counted(len(self.copies), 'number')}, but"
                f" {counted(layers, 'layer')} of the network multiply: give one for each"
            )
        if min(self.copies) < 1:
            raise CompileError(f"duplicate: copies has {min(self.copies)}, but a layer needs 1 or more")
        return self.copies
