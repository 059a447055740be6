"""A right operation of each kernel, in its two forms, on tiles and on buffers: what tests change one thing of."""

import pytest
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from compiler.dialects import attributes as attr
from compiler.dialects.nest_attributes import body_attribute, nest_properties
from compiler.dialects.parts import PlacesAttr, RangesAttr, RowTilesAttr, parts
from compiler.dialects.rows import Rows, RowsAttr
from compiler.kernels.table import KERNELS
from compiler.nests.body import BodyStep, NestBody
from compiler.nests.linear import Linear, identity
from compiler.nests.nest import Nest
from emu.isa.dtypes import DType

KINDS = {kind.name.removeprefix("kernel."): kind for kind in KERNELS}
TILE = (4, 4, 6)
WINDOW = {"kernel": (2, 2), "strides": (1, 1), "dilations": (1, 1)}
SWAPPED = Nest(
    (2, 3, 4),
    (True,) * 3,
    (tuple(map(Linear.dim, (1, 0, 2))),),
    identity(3),
    NestBody((BodyStep("exp", DType.f32, (0,)),)),
)
WEIGHTED = Nest(
    (2, 3, 4),
    (True,) * 3,
    (*SWAPPED.sources, (Linear.dim(2),)),
    identity(3),
    NestBody((BodyStep("mul", DType.f32, (0, 1)),)),
)
DIM = [Linear.dim(dim) for dim in range(4)]
HEADS = Nest(  # [head, row, column] of [head, row, inner] and [head, inner, column]
    (2, 3, 5, 4),
    (True, True, True, False),
    ((DIM[0], DIM[1], DIM[3]), (DIM[0], DIM[3], DIM[2])),
    (DIM[0], DIM[1], DIM[2]),
    NestBody((BodyStep("mul", DType.f32, (0, 1)),)),
    "add",
)
PLACE = {"operand": 1, "crossbar": (4, 4), "bank": 0, "groups": 2, "stays": 0}
# Of a concat: origin, start and sizes of the box of each input.
LEFT = (0, 0, 0), (1, 0, 2), (3, 4, 3)
RIGHT_PART = (2, 1, 3), (0, 0, 0), (4, 4, 1)
ALL = Rows(0, 0, 4, 4)


def ranges(*given):
    return RangesAttr(given)


def tiles(*given):
    return RowTilesAttr(given)


def rows(*given):
    return RowsAttr(given)


# kernel -> shapes of inputs, shapes of outputs, properties: all right
RIGHT = {
    "activation": ([TILE], [TILE], {}),
    "apply_filters": (
        [TILE, (4, 4, 2)],
        [(3, 3, 5), (3, 3, 2)],
        {
            "weights": "w",
            **WINDOW,
            "origins": (0, 6),
            "tiles": tiles((0, 4, 16), (0, 16, 24), (1, 0, 8)),
            "channels": ranges((0, 5), (5, 7)),
        },
    ),
    "apply_blocks": (
        [TILE],
        [(3, 3, 3)],
        {"weights": "w", **WINDOW, "origin": 2, "groups": 5, "blocks": ranges((1, 3), (3, 4))},
    ),
    "arg": ([(2, 5, 3)], [(2, 1, 3)], {"kind": "max", "last": 0}),
    "concat": (
        [TILE, (4, 4, 1)],
        [(6, 5, 4)],
        {"parts": parts([LEFT, RIGHT_PART])},
    ),
    "gather": ([(2, 5, 3), (1, 1, 4)], [(2, 4, 3)], {}),
    "interleave": (
        [(2, 4, 6), (1, 4, 6)],
        [(4, 5, 6)],
        {"origins": PlacesAttr(((0, 1), (3, 0))), "strides": (2, 1), "channels": ranges((0, 6))},
    ),
    "lrn": ([TILE], [(4, 4, 3)], {"size": 3, "alpha": 1.0, "beta": 0.5, "bias": 1.0, "halo": 2}),
    "nest": ([(3, 2, 4)], [(2, 3, 4)], nest_properties(SWAPPED)),
    "pool": ([TILE], [(3, 3, 6)], {"kind": "max", **WINDOW, "pads": (0, 0, 0, 0), "count_include_pad": 0}),
    "put": ([(2, 5, 3), (2, 4, 3), (2, 4, 3)], [(2, 5, 3)], {"combine": "add"}),
    "recurrent": (
        [(5, 2, 3), (2, 2, 3)],
        [(5, 2, 3)],
        {
            "cell": "rnn",
            "bodies": ArrayAttr([body_attribute(NestBody((BodyStep("tanh", DType.f32, (0,)),)))]),
            "makes": attr.strings(["y"]),
            "weights": "r",
            "crossbar": (4, 4),
            "reverse": 0,
            "direction": 1,
            "given": attr.strings(["h"]),
        },
    ),
    "scan": ([TILE], [TILE], {"axis": 1, "exclusive": 0, "reverse": 0}),
    "softmax": ([TILE], [TILE], {}),
    "topk": ([(2, 5, 3)], [(2, 4, 3), (2, 4, 3)], {"largest": 1}),
    "written_product": ([(2, 3, 4), (2, 4, 5)], [(2, 3, 5)], {**nest_properties(HEADS), **PLACE}),
    "vadd": ([TILE, TILE], [TILE], {"channels": ranges((6, 12))}),
}
# kernel -> element types of inputs, of outputs, where these are not all float32
TYPES = {
    "arg": ([DType.i8], [DType.i64]),
    "gather": ([DType.bool, DType.i32], [DType.bool]),
    "put": ([DType.u8, DType.i64, DType.u8], [DType.u8]),
    "topk": ([DType.f16], [DType.f16, DType.i32]),
}


def attribute(value):
    """A property as an attribute."""
    forms = {str: StringAttr, int: attr.integer, float: attr.real, tuple: attr.ints}
    return forms[type(value)](value) if type(value) in forms else value


def typed(kind, side, shapes):
    """Shapes of inputs (side 0) or outputs (1), each with the element type that it has in a right kernel."""
    types = TYPES[kind][side] if kind in TYPES else []
    return list(zip(shapes, [*types, *[DType.f32] * (len(shapes) - len(types))], strict=False))


def on_tiles(kind, inputs, outputs, properties):
    """A kernel on tensors of these shapes."""
    return KINDS[kind].create(
        operands=[create_ssa_value(attr.tile_type(shape, dtype)) for shape, dtype in typed(kind, 0, inputs)],
        result_types=[attr.tile_type(shape, dtype) for shape, dtype in typed(kind, 1, outputs)],
        properties={name: attribute(value) for name, value in properties.items()},
    )


def on_buffers(kind, inputs, outputs, properties):
    """The same kernel on memrefs of these shapes."""
    tiles = [*typed(kind, 0, inputs), *typed(kind, 1, outputs)]
    made = [create_ssa_value(attr.buffer_type(shape, dtype)) for shape, dtype in tiles]
    op = on_tiles(kind, inputs, outputs, RIGHT[kind][2])
    more = {name: attribute(value) for name, value in properties.items()}
    return op.on_buffers(made[: len(inputs)], made[len(inputs) :], [], [], properties=more)


def refusal(op):
    """The sentence with which an operation is refused."""
    with pytest.raises(VerifyException) as error:
        op.verify()
    return str(error.value)
