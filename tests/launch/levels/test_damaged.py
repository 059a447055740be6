"""Damaged lowerings: the pass that is wrong is named, with the operation, its node and an element."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.dialects.parts import RangesAttr
from compiler.emission.emitter import Emitter
from compiler.kernels.activation import ActivationOp
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.kernels.vadd import VAddOp
from compiler.session.context import CompilerContext
from compiler.transforms.allocate_buffers import AllocateBuffersPass
from compiler.transforms.cut_layers import CutLayersPass
from compiler.transforms.lower_onnx_to_spat import LowerOnnxToSpatPass
from compiler.transforms.lower_spat_to_pim import LowerSpatToPimPass
from emu.isa.address import Address
from launch.images.compilation import compile_image
from launch.levels.compiled import verify_compiled
from launch.levels.finding import PROGRAMS, LevelDifference

TINY = {"arch": "tiny", "cores": 64}


def damaged(
    monkeypatch: pytest.MonkeyPatch, kind: type[ModulePass], damage: Callable[[ModuleOp, CompilerContext], str]
) -> tuple[LevelDifference, str]:
    """What is found if `damage` is done behind a pass; and the node that was damaged, which `damage` tells."""
    apply, nodes = kind.apply, list[str]()

    def spoilt(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
        apply(self, ctx, op)
        assert isinstance(ctx, CompilerContext)
        nodes.append(damage(op, ctx))

    monkeypatch.setattr(kind, "apply", spoilt)
    differs = verify_compiled(DIGITS, None, quiet=True, **TINY).differs
    assert differs is not None
    assert differs.step == kind.name
    return differs, nodes[0]


def named(differs: LevelDifference, node: str, operation: str) -> None:
    """It tells all that there is to tell, and nothing of the damage escapes the sentence."""
    assert (differs.node, differs.operation) == (node, operation)
    assert differs.index and differs.before != differs.after and 0 < differs.elements <= differs.of
    for part in (differs.step, node, operation, str(list(differs.index))):
        assert part in differs.sentence()


def test_an_offset_that_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    def drop(module: ModuleOp, context: CompilerContext) -> str:
        kernels = [op for op in module.walk() if isinstance(op, ApplyFiltersOp)]
        kernel = next(op for op in kernels if op.channels.whole[0] > 0 and len(op.outputs) == 1)
        low, high = kernel.channels.data[0]
        kernel.properties["channels"] = RangesAttr(((0, high - low),))
        owner = kernel.parent_op()
        assert isinstance(owner, spat.ComputeOp)
        return owner.node.data

    differs, node = damaged(monkeypatch, CutLayersPass, drop)
    named(differs, node, "spat.compute")
    assert differs.tensor


def test_axes_that_are_swapped(monkeypatch: pytest.MonkeyPatch) -> None:
    def swap(module: ModuleOp, context: CompilerContext) -> str:
        kernel = next(op for op in module.walk() if isinstance(op, ApplyFiltersOp))
        array = np.swapaxes(context.weights.get(kernel.weights.data), -1, -2)
        kernel.properties["weights"] = attr.StringAttr(context.weights.put("swapped", array))
        owner = kernel.parent_op()
        assert isinstance(owner, spat.LayerOp)
        return owner.node.data

    differs, node = damaged(monkeypatch, LowerOnnxToSpatPass, swap)
    named(differs, node, "spat.product")


def test_an_accumulation_that_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    def drop(module: ModuleOp, context: CompilerContext) -> str:
        kernel = next(op for op in module.walk() if isinstance(op, VAddOp))
        kept = {"epilogue": kernel.epilogue} if kernel.epilogue is not None else {}
        types = [value.type for value in kernel.made]
        copy = ActivationOp.create(operands=kernel.operands[:1], result_types=types, properties=kept)
        owner, block = kernel.parent_op(), kernel.parent_block()
        assert isinstance(owner, spat.ComputeOp) and block is not None
        block.insert_op_before(copy, kernel)
        kernel.made[0].replace_all_uses_with(copy.made[0])
        kernel.detach()
        kernel.erase()
        return owner.node.data

    differs, node = damaged(monkeypatch, CutLayersPass, drop)
    named(differs, node, "spat.compute")


def test_rows_that_are_the_wrong_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def shift(module: ModuleOp, context: CompilerContext) -> str:
        tensor = next(op for op in module.ops if isinstance(op, pim.TensorOp) and op.kind.data == "input")
        load = next(op for op in module.walk() if isinstance(op, pim.LoadOp))
        load.properties["address"] = attr.integer(load.address.value.data + 4)
        kernel = load.next_op
        while not isinstance(kernel, ApplyFiltersOp):
            assert kernel is not None and tensor is not None
            kernel = kernel.next_op
        assert kernel.node is not None
        return kernel.node.data

    differs, node = damaged(monkeypatch, LowerSpatToPimPass, shift)
    assert differs.node == node and differs.core is not None and differs.operation.startswith("kernel.")


def test_buffers_that_stand_in_each_others_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def stack(module: ModuleOp, context: CompilerContext) -> str:
        for core in module.ops:
            for op in core.body.block.ops if isinstance(core, pim.CoreOp) else ():
                if isinstance(op, pim.AllocOp):
                    op.properties["address"] = attr.integer(0)
        return ""

    differs, _ = damaged(monkeypatch, AllocateBuffersPass, stack)
    assert differs.operation.startswith("kernel.") and differs.core is not None


@pytest.mark.parametrize("nth", [1, 2])
def test_an_address_in_the_generation_of_code(nth: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of the first layer it reads what nobody wrote, so that its core traps; of the second another channel."""
    product, nodes = Emitter.product, dict[str, int]()

    def shifted(self: Emitter, out: Address, source: Address, group: int, flags: tuple[str, ...] = ()) -> None:
        node = self.sources[self.section.source].node
        nodes.setdefault(node, len(nodes) + 1)
        source = replace(source, base=source.base + 4) if nodes[node] == nth else source
        product(self, out, source, group, flags)

    monkeypatch.setattr(Emitter, "product", shifted)
    compile_image(DIGITS, tmp_path / "out", golden="none", no_check=True, quiet=True, **TINY)
    differs = verify_compiled(DIGITS, tmp_path / "out", quiet=True, **TINY).differs
    assert differs is not None and differs.step == PROGRAMS
    assert nodes[differs.node] == nth and differs.operation == "kernel.apply_filters" and differs.core is not None
