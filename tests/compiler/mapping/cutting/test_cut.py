"""Cutting: whatever the layers, the computes multiply every weight once and make every channel once."""

from collections import Counter
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, StringAttr, f32
from xdsl.ir import Block, Region

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.boxes import BoxesAttr, FormAttr, FormsAttr
from compiler.dialects.epilogue import EpilogueAttr
from compiler.dialects.parts import RangesAttr, RowTilesAttr, parts
from compiler.kernels.activation import ActivationOp
from compiler.kernels.apply_blocks import ApplyBlocksOp
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.kernels.concat import ConcatOp
from compiler.kernels.lrn import LRNOp
from compiler.kernels.pool import PoolOp
from compiler.kernels.product_types import ProductKernel
from compiler.kernels.softmax import SoftmaxOp
from compiler.mapping import tuned
from compiler.mapping.cutting.product import ProductLayer
from compiler.mapping.cutting.tiles import whole_tile
from compiler.mapping.tiling.matrix import Piece
from compiler.session.context import CompileOptions, make_context
from compiler.transforms.cut_layers import CutLayersPass
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError
from emu.isa.dtypes import DType
from emu.program.form import Form

HEIGHT, WIDTH = 4, 3
RELU = EpilogueAttr((("relu", ()),))
STEPS = {"strides": attr.ints((1, 1)), "dilations": attr.ints((1, 1))}


class Network:
    """A module of an input and the layers that are appended; `value` is what the last of them made."""

    def __init__(self, channels):
        self.block, self.products = Block(), {}
        op = spat.InputOp.create(result_types=[tile(channels)], properties=image("x", channels))
        self.block.add_op(op)
        self.value = op.tile

    @property
    def channels(self):
        return attr.shape_of(self.value)[2]

    def layer(self, kind, channels, properties, pads=(0, 0)):
        """A kernel on the last value, with rows and columns of zeros around it."""
        block = Block(arg_types=[self.value.type])
        source = block.args[0]
        if any(pads):
            whole = (*pads, 0), (0, 0, 0), (HEIGHT, WIDTH, self.channels)
            made = attr.tile_type((HEIGHT + 2 * pads[0], WIDTH + 2 * pads[1], self.channels), DType.f32)
            concat = ConcatOp.create(
                operands=[source],
                result_types=[made],
                properties={"parts": parts([whole])},
            )
            block.add_op(concat)
            source = concat.made[0]
        kernel = kind.create(operands=[source], result_types=[tile(channels)], properties=properties)
        block.add_ops([kernel, spat.YieldOp(operands=[[kernel.made[0]]])])
        product = issubclass(kind, ProductKernel)
        layer = (spat.ProductOp if product else spat.PlainLayerOp).create(
            operands=[self.value],
            result_types=[tile(channels)],
            properties={
                "node": StringAttr(f"n{len(self.block.ops)}"),
                "tensors": attr.strings(["t"]),
                "forms": FormsAttr((None,)),
                "boxes": whole_box(channels),
            },
            regions=[Region(block)],
        )
        self.block.add_op(layer)
        self.value = layer.outputs[0]

    def convolution(self, filters, taps):
        """Filters of 2 * taps - 1 rows and columns."""
        size, key = 2 * taps - 1, f"w{len(self.products)}"
        self.products[key] = (filters, self.channels, size)
        properties = {
            "weights": StringAttr(key),
            "kernel": attr.ints((size, size)),
            "origins": attr.ints((0,)),
            "tiles": RowTilesAttr(((0, 0, self.channels * size * size),)),
            "channels": RangesAttr(((0, filters),)),
        }
        self.layer(ApplyFiltersOp, filters, {**STEPS, **properties}, pads=(taps - 1, taps - 1))

    def depthwise(self, taps):
        """A group per channel."""
        size, key = 2 * taps - 1, f"g{len(self.products)}"
        self.products[key] = (self.channels, 1, size)
        properties = {
            "weights": StringAttr(key),
            "kernel": attr.ints((size, size)),
            "origin": attr.integer(0),
            "groups": attr.integer(self.channels),
            "blocks": RangesAttr(((0, self.channels),)),
        }
        self.layer(ApplyBlocksOp, self.channels, {**STEPS, **properties}, pads=(taps - 1, taps - 1))

    def other(self, kind):
        """A layer without weights."""
        pool = {"kind": StringAttr("max"), "kernel": attr.ints((3, 3)), "pads": attr.ints((1, 1, 1, 1)), **STEPS}
        lrn = {name: attr.real(1.0) for name in ("alpha", "beta", "bias")}
        properties = {
            ActivationOp: {"epilogue": RELU},
            PoolOp: {**pool, "count_include_pad": attr.integer(0)},
            SoftmaxOp: {},
            LRNOp: {**lrn, "size": attr.integer(3), "halo": attr.integer(0)},
        }
        self.layer(kind, self.channels, properties[kind])

    def module(self):
        output = spat.OutputOp.create(operands=[self.value], properties={"element": f32, **image("y", self.channels)})
        self.block.add_op(output)
        return ModuleOp(Region(self.block))


def tile(channels):
    return attr.tile_type((HEIGHT, WIDTH, channels), DType.f32)


def image(name, channels):
    return {
        "tensor": StringAttr(name),
        "boxes": whole_box(channels),
        "form": FormAttr(Form((1, channels, HEIGHT, WIDTH), (channels, HEIGHT, WIDTH), ("", "C", "H", "W"))),
    }


def whole_box(channels):
    return BoxesAttr((((0, HEIGHT), (0, WIDTH), (0, channels)),))


@st.composite
def networks(draw):
    network = Network(draw(st.integers(1, 12)))
    others = [ActivationOp, PoolOp, SoftmaxOp, LRNOp]
    for kind in draw(st.lists(st.sampled_from(["conv", "depthwise", "other"]), min_size=1, max_size=4)):
        if kind == "conv":
            network.convolution(draw(st.integers(1, 12)), draw(st.integers(1, 2)))
        elif kind == "depthwise":
            network.depthwise(draw(st.integers(1, 2)))
        else:
            network.other(draw(st.sampled_from(others)))
    return network


def cut(network, side, **options):
    """The module after the pass, verified, on crossbars of `side` rows and columns."""
    context = make_context(Arch(core=Core(crossbars=64), crossbar=Crossbar(side, side)), CompileOptions(**options))
    module = network.module()
    module.verify()
    CutLayersPass().apply(context, module)
    module.verify()
    return module


def kernels(module, kind):
    return [op for op in module.walk() if isinstance(op, kind)]


def weights_of(op):
    """Each weight that a product multiplies: filter, channel (in its group), tap; once for each time."""
    taps = attr.values(op.kernel)[0] * attr.values(op.kernel)[1]
    if isinstance(op, ApplyBlocksOp):
        return [(group, 0, tap) for low, high in op.blocks.data for group in range(low, high) for tap in range(taps)]
    rows = []
    for index, (origin, shape) in enumerate(zip(attr.values(op.origins), op.input_shapes, strict=True)):
        for start, stop in op.row_tiles(index):
            rows += [(origin + row % shape[2], row // shape[2]) for row in range(start, stop)]
    return [(filter_, *row) for low, high in op.channels.data for filter_ in range(low, high) for row in rows]


@given(
    networks(),
    st.integers(9, 20),
    st.sampled_from([1, 2, 7, 64]),
    st.sampled_from(["dense", "kernel"]),
    st.sampled_from(["frugal", "scatter", "pack"]),
)
def test_every_weight_is_multiplied_once_and_every_channel_made_once(network, side, cores, packing, placement):
    try:
        module = cut(network, side, cores=cores, packing=packing, placement=placement)
    except CompileError as error:
        assert "crossbars, which take" in str(error)
        return
    multiplied = {key: Counter() for key in network.products}
    for op in kernels(module, ApplyFiltersOp | ApplyBlocksOp):
        multiplied[op.weights.data].update(weights_of(op))
    for key, (filters, channels, size) in network.products.items():
        every = {(f, c, t) for f in range(filters) for c in range(channels) for t in range(size * size)}
        assert multiplied[key] == Counter(every)
    (output,) = kernels(module, spat.OutputOp)
    assert covered(output.boxes) == list(range(network.channels))
    inputs = [channel for op in kernels(module, spat.InputOp) for channel in covered(op.boxes)]
    assert inputs == list(range(len(inputs)))


def covered(boxes):
    """The channels of boxes that hold all of the other axes, one after another."""
    assert all(box[:-1] == ((0, HEIGHT), (0, WIDTH)) for box in boxes.data)
    return [channel for *_, (low, high) in boxes.data for channel in range(low, high)]


@given(networks(), st.integers(9, 20), st.sampled_from(["dense", "kernel"]))
def test_no_tile_is_larger_than_a_crossbar_and_nothing_has_a_core_yet(network, side, packing):
    module = cut(network, side, packing=packing)
    for op in kernels(module, ApplyFiltersOp):
        assert all(stop - start <= side for _, start, stop in op.tiles.data)
        assert all(high - low <= side for low, high in op.channels.data)
    for op in kernels(module, ApplyBlocksOp):
        size = attr.values(op.kernel)[0] ** 2
        assert all((high - low) * size <= side for low, high in op.blocks.data)
    assert not kernels(module, spat.LayerOp | spat.JoinOp)
    assert all(op.core is None for op in kernels(module, spat.ComputeOp))


@given(networks(), st.integers(9, 20))
def test_computes_of_products_are_in_clusters_and_the_others_in_none(network, side):
    module = cut(network, side, placement="scatter")
    for op in kernels(module, spat.ComputeOp):
        products = kernels(op, ApplyFiltersOp | ApplyBlocksOp)
        others = kernels(op, ActivationOp | PoolOp | SoftmaxOp | LRNOp)
        copies = not products and not others and len(kernels(op, ConcatOp)) == len(op.outputs)
        assert bool(products) + bool(others) <= 1
        assert copies or (op.cluster is None) == bool(others)  # what is copied in parts may be of either


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(2, 4), st.integers(1, 3))
def test_columns_are_summed_by_as_few_cores_as_their_bytes_allow(widths, parts, short):
    side, together = 12, (parts - 1) * short  # what every part but one sends counts
    network = Network(parts * side)
    network.convolution(sum(widths) * side, 1)
    product = ProductLayer.of(network.value.owner)
    matrix = product.matrix(Arch(crossbar=Crossbar(side, side)), "dense", DType.f32)
    bounds = list(pairwise(accumulate(widths, initial=0)))
    grid = [((row, row + 1), columns) for columns in bounds for row in range(parts)]
    pieces = [Piece(0, rows, columns, core) for core, (rows, columns) in enumerate(grid)]
    made = Block()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuned, "SUMS_TOGETHER", short * side * HEIGHT * WIDTH * DType.f32.size)
        tiles = product.compute(made, [whole_tile(product.source)], matrix, pieces)
    sums = [op for op in made.ops if isinstance(op, spat.ComputeOp) and op.part.data.startswith("partial sum")]
    groups = [[tile.value.owner for tile in tiles[low:high]] for low, high in bounds]
    assert [len(set(group)) for group in groups] == [-(-width // together) for width in widths]
    assert max(len(op.outputs) for op in sums) == min(together, max(widths))
    for number, group in enumerate(groups):
        adding = [op.cluster.value.data for op in dict.fromkeys(group)]
        assert {*adding} <= {number * parts + row for row in range(parts)}  # beside those that made them, by turns
        assert all(one != other for one, other in pairwise(adding))


@pytest.mark.parametrize(("kind", "computes"), [(ActivationOp, 3), (PoolOp, 3), (LRNOp, 3), (SoftmaxOp, 1)])
def test_layers_are_cut_by_channels_only_if_each_is_made_of_few(kind, computes):
    network = Network(24)
    network.other(kind)
    assert len(kernels(cut(network, 9), spat.ComputeOp)) == computes


def test_a_module_without_layers_stays_as_it_is():
    network = Network(12)
    network.other(ActivationOp)
    module = cut(network, 9)
    before = module.clone()
    CutLayersPass().apply(make_context(), module)
    assert module.is_structurally_equivalent(before)
