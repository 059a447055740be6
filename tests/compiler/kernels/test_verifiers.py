"""What each kernel's verifier takes and what it refuses, with which sentence."""

import numpy as np
import pytest
from right_kernels import (
    ALL,
    KINDS,
    LEFT,
    RIGHT,
    RIGHT_PART,
    TILE,
    WEIGHTED,
    on_buffers,
    on_tiles,
    ranges,
    refusal,
    rows,
    tiles,
)
from xdsl.dialects.builtin import ArrayAttr
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from compiler.basis.weights import WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.epilogue import EpilogueAttr
from compiler.dialects.nest_attributes import body_attribute
from compiler.dialects.parts import PlacesAttr, parts
from compiler.dialects.rows import Rows
from compiler.kernels.nest import NestOp
from compiler.nests.body import BodyStep, NestBody
from emu.isa.dtypes import DType

WRONG_INPUTS = [
    ("activation", [(4, 4, 5)], "gives a tile of the shape of its inputs, not [4, 4, 6] of [4, 4, 5]"),
    ("activation", [TILE, TILE], "takes 1 inputs and makes 1 outputs, not 2 and 1"),
    ("scan", [(4, 1, 6)], "gives a tile of the shape of its inputs"),
    ("softmax", [(4, 1, 6)], "gives a tile of the shape of its inputs"),
    ("softmax", [], "takes 1 inputs and makes 1 outputs, not 0 and 1"),
    ("vadd", [TILE], "takes 2 inputs and makes 1 outputs, not 1 and 1"),
    ("vadd", [TILE, (4, 4, 1)], "gives a tile of the shape of its inputs, not [4, 4, 6] of [4, 4, 6], [4, 4, 1]"),
    ("pool", [(4, 4, 7)], "gives the 7 channels of its input, not 6"),
    ("pool", [(2, 4, 6)], "has no windows for 3 rows: the last is beyond the image"),
    ("pool", [(4, 2, 6)], "has no windows for 3 columns: the last is beyond the image"),
    ("lrn", [(4, 4, 4)], "gives 3 channels from channel 2 on, which a tile [4, 4, 4] must have"),
    ("lrn", [(4, 5, 6)], "gives 3 channels from channel 2 on, which a tile [4, 5, 6] must have"),
    ("concat", [TILE, (3, 4, 1)], "input 1 is [3, 4, 1], it has no box at [0, 0, 0] of [4, 4, 1]"),
    ("concat", [(4, 4, 4), (4, 4, 1)], "input 0 is [4, 4, 4], it has no box at [1, 0, 2] of [3, 4, 3]"),
    ("concat", [TILE, (4, 4, 1, 1)], "makes a tile of as many sizes as its inputs, not [6, 5, 4] of [4, 4, 6], [4, 4"),
    ("pool", [(4, 4, 1, 6)], "makes a tile of as many sizes as its inputs, not [3, 3, 6] of [4, 4, 1, 6]"),
    ("apply_blocks", [(4, 4, 1, 6)], "makes a tile of as many sizes as its inputs, not [3, 3, 3] of [4, 4, 1, 6]"),
    ("concat", [], "takes one input or more and makes 1 outputs, not 0 and 1"),
    ("interleave", [(2, 4, 6), (2, 4, 6)], "input 1 ends at [5, 3], beyond the output [4, 5, 6]"),
    ("interleave", [(2, 4, 6), (1, 4, 1, 6)], "makes a tile of as many sizes as its inputs"),
    ("apply_filters", [TILE, (5, 4, 2)], "slides over inputs of one height and width, not [4, 4, 6], [5, 4, 2]"),
    ("apply_filters", [(5, 4, 6), (5, 4, 2)], "makes 4 x 3 pixels of its inputs, not [3, 3, 5], [3, 3, 2]"),
    ("apply_filters", [TILE], "origins must hold 1 numbers from 0 on, one per input"),
    ("apply_blocks", [(4, 4, 7)], "works on 3 groups of one size, not on 7 channels"),
    ("apply_blocks", [(4, 5, 6)], "makes 3 x 4 pixels of its inputs, not [3, 3, 3]"),
    ("apply_blocks", [(4, 4, 9)], "origin must be 3, the first channel of its groups"),
    ("recurrent", [(5, 2, 4), (2, 2, 3)], "takes [5, 2, 3] gates, not [5, 2, 4]"),
    ("recurrent", [(4, 2, 3), (2, 2, 3)], "takes [5, 2, 3] gates, not [4, 2, 3]"),
    ("recurrent", [(5, 2, 3), (2, 1, 3)], "begins with row 1 of states [2][3], which [2, 1, 3] has not"),
    ("arg", [(2, 5, 4)], "gives an index, i32 or i64, per line of [2, 5, 4], not [2, 1, 3]"),
    ("arg", [(2, 5, 3, 1)], "works on tiles [outer][entries][inner]"),
    ("arg", [], "takes 1 inputs and makes 1 outputs, not 0 and 1"),
    ("gather", [(2, 5, 3), (1, 4, 1)], "gathers [2, 4, 3] by indices [1, 4, 1] of [2, 5, 3]: they do not fit"),
    ("gather", [(3, 5, 3), (1, 1, 4)], "gathers [2, 4, 3] by indices [1, 1, 4] of [3, 5, 3]: they do not fit"),
    ("gather", [(2, 5, 3)], "takes 2 inputs and makes 1 outputs, not 1 and 1"),
    ("nest", [(3, 2, 3)], "has a map that reaches from 0 to 3 in dimension 2, which has 3"),
    ("nest", [(3, 2, 4, 1)], "has a map of 3 indices to a tensor of 4 dimensions"),
    ("nest", [(3, 2, 4), (3, 2, 4)], "has 1 maps of operands, of which there are 2"),
    ("put", [(2, 5, 3), (1, 1, 4), (2, 4, 3)], "puts [2, 4, 3] at [1, 1, 4] into [2, 5, 3]: they do not fit"),
    ("put", [(2, 6, 3), (2, 4, 3), (2, 4, 3)], "puts [2, 4, 3] at [2, 4, 3] into [2, 6, 3]: they do not fit"),
    ("put", [(2, 5, 3), (2, 4, 3)], "takes 3 inputs and makes 1 outputs, not 2 and 1"),
    ("topk", [(2, 3, 3)], "gives values and indices, i32 or i64, of lines of [2, 3, 3]"),
    ("written_product", [(2, 3, 4), (2, 4, 6), (1, 1, 1)], "takes 2 inputs and makes 1 outputs, not 3 and 1"),
    ("written_product", [(2, 3, 4), (2, 3, 5)], "has a map that reaches from 0 to 3 in dimension 1, which has 3"),
    ("topk", [(1, 5, 3)], "gives values and indices, i32 or i64, of lines of [1, 5, 3]"),
]
WRONG_PROPERTIES = [
    ("recurrent", {"cell": "lst"}, "cell = \"lst\" does not exist; did you mean 'lstm'?"),
    ("recurrent", {"cell": "gru"}, "takes [5, 2, 9] gates, not [5, 2, 3]"),
    ("recurrent", {"makes": attr.strings(["c"])}, "makes must hold one of y, h for each of the 1 outputs"),
    ("recurrent", {"makes": attr.strings(["y", "h"])}, "makes must hold one of y, h for each of the 1 outputs"),
    ("recurrent", {"given": attr.strings(["h", "h"])}, "given must hold some of h, lengths, each one once"),
    ("recurrent", {"initial_h": "s"}, "given must hold some of h, lengths, each one once"),
    ("recurrent", {"given": attr.strings(["lengths"])}, "works on f32, with lengths of i32, not on f32"),
    ("recurrent", {"given": attr.strings([])}, "takes 1 inputs to outputs of one shape, not 2"),
    ("recurrent", {"direction": 2}, "begins with row 2 of states [2][3], which [2, 2, 3] has not"),
    ("recurrent", {"crossbar": (4, 0)}, "crossbar must hold the rows and columns of a crossbar"),
    ("recurrent", {"reverse": 2}, "reverse must be 0 or 1"),
    ("recurrent", {"peepholes": "p"}, "has peepholes, which a cell of rnn has not"),
    ("recurrent", {"lengths": "n"}, "bodies must hold 2 lists of steps, not 1"),
    ("recurrent", {"bodies": ArrayAttr([])}, "bodies must hold 1 lists of steps, not 0"),
    ("recurrent", {"bodies": ArrayAttr([body_attribute(NestBody())])}, "has a body that makes no float32"),
    (
        "recurrent",
        {"bodies": ArrayAttr([body_attribute(NestBody((BodyStep("tanh", DType.f32, (1,)),)))])},
        "has a body in which tanh uses a value that no step before it makes",
    ),
    (
        "recurrent",
        {"epilogue": EpilogueAttr((("relu", ()),))},
        "takes no epilogue: its states are what they are",
    ),
    ("arg", {"kind": "maximum"}, 'kind = "maximum" does not exist'),
    ("put", {"combine": "replace"}, 'combine = "replace" does not exist'),
    ("nest", {"origin": (0, 0)}, "origin must hold 3 numbers from 0 on, one per dimension of the space"),
    ("nest", {"origin": (0, 0, -1)}, "origin must hold 3 numbers from 0 on, one per dimension of the space"),
    ("nest", {"sizes": (2, 3)}, "has a space [2, 3] that is none"),
    ("nest", {"arrays": attr.strings(["w"])}, "types must hold one element type for each of arrays"),
    (
        "nest",
        {"iterators": attr.strings(["parallel"] * 2 + ["serial"])},
        'iterators must hold "parallel" or "reduction"',
    ),
    ("nest", {"iterators": attr.strings(["parallel"] * 2 + ["reduction"])}, "do not meet each element once"),
    ("nest", {"combine": "add"}, "has no reduction for add to combine"),
    (
        "nest",
        {"body": body_attribute(NestBody((BodyStep("cast", DType.i32, (0,)),)))},
        "has a body that makes i32, and a result",
    ),
    ("written_product", {"operand": 2}, "operand and stays must be 0 or 1"),
    ("written_product", {"stays": -1}, "operand and stays must be 0 or 1"),
    ("written_product", {"crossbar": (4, 0)}, "needs rows and columns of a crossbar, a place in the bank, and a group"),
    ("written_product", {"bank": -1}, "needs rows and columns of a crossbar, a place in the bank, and a group or more"),
    ("written_product", {"groups": 0}, "needs rows and columns of a crossbar, a place in the bank, and a group"),
    ("written_product", {"stays": 1}, "stays on its crossbars only in 2 groups, and if all rows meet every matrix"),
    ("written_product", {"combine": "max"}, "is no product of two matrices"),
    ("vadd", {"channels": ranges((0, 5))}, "channels must hold one range per tile, of [6] channels, not <0:5>"),
    ("scan", {"axis": 3}, "axis must be one of the 3 of [4, 4, 6]"),
    ("concat", {"fill": (1, 2)}, "fill must be a number"),
    ("pool", {"kind": "mean"}, 'kind = "mean" does not exist'),
    ("pool", {"strides": (0, 1)}, "strides must hold 2 numbers from 1 on, not [0, 1]"),
    ("pool", {"kernel": (2, 2, 2)}, "kernel must hold 2 numbers from 1 on, not [2, 2, 2]"),
    ("pool", {"pads": (0, 0, 0)}, "pads must hold 4 numbers from 0 on, not [0, 0, 0]"),
    ("interleave", {"origins": PlacesAttr(((0, 1),))}, "origins must hold 2 places of 2 numbers from 0 on"),
    ("interleave", {"origins": PlacesAttr(((0, 1), (3,)))}, "origins must hold 2 places of 2 numbers from 0 on"),
    ("interleave", {"origins": PlacesAttr(((0, 1), (-1, 0)))}, "origins must hold 2 places of 2 numbers from 0 on"),
    ("interleave", {"strides": (0, 1)}, "strides must hold 2 numbers from 1 on, not [0, 1]"),
    ("interleave", {"channels": ranges((0, 5))}, "channels must hold one range per tile, of [6] channels"),
    ("pool", {"strides": (1, 0)}, "strides must hold 2 numbers from 1 on, not [1, 0]"),
    ("lrn", {"size": 0}, "size must be positive, not 0"),
    ("lrn", {"halo": 4}, "gives 3 channels from channel 4 on"),
    ("lrn", {"halo": -1}, "gives 3 channels from channel -1 on"),
    ("concat", {"parts": parts([LEFT])}, "parts must hold 2 boxes of 3 axes, one per input"),
    ("concat", {"parts": parts([LEFT, ((2, 1), (0, 0), (4, 4))])}, "parts must hold 2 boxes of 3 axes, one per input"),
    (
        "concat",
        {"parts": parts([((0, 0, 0), (-1, 0, 0), (3, 4, 3)), RIGHT_PART])},
        "input 0 is [4, 4, 6], it has no box at [-1, 0, 0] of [3, 4, 3]",
    ),
    (
        "concat",
        {"parts": parts([((0, 0, 0), (1, 0, 2), (3, 0, 3)), RIGHT_PART])},
        "input 0 is [4, 4, 6], it has no box at [1, 0, 2] of [3, 0, 3]",
    ),
    ("concat", {"parts": parts([((0, 0, -1), (1, 0, 2), (3, 4, 3)), RIGHT_PART])}, "beyond the output"),
    (
        "concat",
        {"parts": parts([LEFT, ((3, 1, 3), (0, 0, 0), (4, 4, 1))])},
        "input 1 ends at [7, 5, 4], beyond the output [6, 5, 4]",
    ),
    ("apply_filters", {"channels": ranges((0, 5))}, "takes one input or more and makes 1 outputs, not 2 and 2"),
    (
        "apply_filters",
        {"channels": ranges((0, 5), (5, 8))},
        "channels must hold one range per tile, of [5, 2] channels",
    ),
    ("apply_filters", {"origins": (0, -1)}, "origins must hold 2 numbers from 0 on, one per input"),
    ("apply_filters", {"tiles": tiles((0, 0, 8), (2, 0, 8))}, "tiles must be of inputs below 2"),
    ("apply_filters", {"tiles": tiles((0, 8, 8), (1, 0, 8))}, "tiles must hold ranges of rows that are not empty"),
    ("apply_filters", {"tiles": tiles((0, 0, 24))}, "tiles must have a row tile of input 1, or it is not needed"),
    (
        "apply_filters",
        {"tiles": tiles((0, 0, 25), (1, 0, 8))},
        "tiles of input 0 must follow each other within its 24 rows",
    ),
    (
        "apply_filters",
        {"tiles": tiles((0, 0, 8), (0, 9, 24), (1, 0, 8))},
        "tiles of input 0 must follow each other within its 24",
    ),
    ("apply_filters", {"dilations": (3, 1)}, "makes 1 x 3 pixels of its inputs"),
    ("apply_filters", {"slices": (1, 1)}, "slices must hold numbers from 1 on, 3 in all, not [1, 1]"),
    ("apply_filters", {"slices": (2, 0, 1)}, "slices must hold numbers from 1 on, 3 in all, not [2, 0, 1]"),
    ("apply_filters", {"slices": (1, 2)}, "slices must be of one input each, not of inputs 0 and 1"),
    ("apply_blocks", {"blocks": ranges((1, 3), (2, 4))}, "blocks must hold ranges of groups that follow each other"),
    ("apply_blocks", {"blocks": ranges((1, 1), (1, 4))}, "blocks must hold ranges of groups that follow each other"),
    ("apply_blocks", {"blocks": ranges()}, "blocks must hold ranges of groups that follow each other, not <>"),
    ("apply_blocks", {"groups": 3}, "blocks must be ranges of the 3 groups, not <1:3, 3:4>"),
    ("apply_blocks", {"origin": 0}, "origin must be 2, the first channel of its groups"),
    ("apply_blocks", {"height": 0}, "height must be 1 or more, not 0"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_one_passes_in_both_forms(kind):
    inputs, outputs, properties = RIGHT[kind]
    on_tiles(kind, inputs, outputs, properties).verify()
    on_buffers(kind, inputs, outputs, {"node": "n"}).verify()


@pytest.mark.parametrize(("kind", "inputs", "sentence"), WRONG_INPUTS)
def test_inputs_of_wrong_shapes_are_refused(kind, inputs, sentence):
    _, outputs, properties = RIGHT[kind]
    assert sentence in refusal(on_tiles(kind, inputs, outputs, properties))
    assert sentence in refusal(on_buffers(kind, inputs, outputs, {"node": "n"}))


@pytest.mark.parametrize(("kind", "change", "sentence"), WRONG_PROPERTIES)
def test_wrong_properties_are_refused(kind, change, sentence):
    inputs, outputs, properties = RIGHT[kind]
    assert sentence in refusal(on_tiles(kind, inputs, outputs, {**properties, **change}))


def test_every_kernel_is_refused_at_least_twice():
    refused = [kind for kind, *_ in (*WRONG_INPUTS, *WRONG_PROPERTIES)]
    assert RIGHT.keys() == KINDS.keys()
    assert all(refused.count(kind) >= 2 for kind in KINDS)


@pytest.mark.parametrize(
    ("kind", "place", "dtype", "sentence"),
    [
        ("arg", 0, DType.bool, "gives an index, i32 or i64, per line of [2, 5, 3], not [2, 1, 3]"),
        ("gather", 1, DType.i8, "takes indices of i32 or i64, and gives elements of the type of its table"),
        ("gather", 0, DType.f32, "takes indices of i32 or i64, and gives elements of the type of its table"),
        ("put", 1, DType.f32, "takes indices of i32 or i64, and updates of the type of its table"),
        ("put", 2, DType.i8, "takes indices of i32 or i64, and updates of the type of its table"),
        ("topk", 0, DType.f32, "gives values and indices, i32 or i64, of lines of [2, 5, 3]"),
        ("nest", 0, DType.i32, "has a body in which exp"),
        ("vadd", 0, DType.i8, "works on elements of one type"),
    ],
)
def test_operands_of_wrong_types_are_refused(kind, place, dtype, sentence):
    inputs, outputs, properties = RIGHT[kind]
    op = on_tiles(kind, inputs, outputs, properties)
    op.operands[place] = create_ssa_value(attr.tile_type(inputs[place], dtype))
    assert sentence in refusal(op)


@pytest.mark.parametrize("kind", KINDS)
def test_tiles_of_another_rank_are_refused(kind):
    _, outputs, properties = RIGHT[kind]
    sentence = refusal(on_tiles(kind, [(4, 4)], outputs, properties))
    assert "works on tiles of at least 3 sizes, such as [height][width][channel]" in sentence


@pytest.mark.parametrize(
    ("activation", "sentence"),
    [
        (("rely", ()), "activation = \"rely\" does not exist; did you mean 'relu'?"),
        (("clip", (0.0,)), "activation clip takes 2 numbers, not 1"),
        (("relu", (1.0,)), "activation relu takes 0 numbers, not 1"),
        (("leaky_relu", ()), "activation leaky_relu takes 1 numbers, not 0"),
    ],
)
def test_activations_that_cannot_be_are_refused(activation, sentence):
    op = on_tiles("activation", [TILE], [TILE], {"epilogue": EpilogueAttr((("relu", ()), activation))})
    assert sentence in refusal(op)


@pytest.mark.parametrize(
    ("properties", "sentence"),
    [
        ({}, "lacks its property 'node'"),
        ({"node": "n", "segments": (1, 1, 0)}, "segments must hold the numbers of inputs, outputs, scratch, constants"),
        ({"node": "n", "segments": (1, 2, -1, 0)}, "segments must hold the numbers of inputs, outputs, scratch"),
        ({"node": "n", "segments": (1, 1, 1, 0)}, "2 in all, not [1, 1, 1, 0]"),
        ({"node": "n", "rows": rows(ALL)}, "rows must hold 2 ranges, one per buffer, not 1"),
        ({"node": "n", "rows": rows(ALL, Rows(1, 0, 4, 4))}, "rows must be ranges of rows that there are"),
        ({"node": "n", "rows": rows(ALL, Rows(0, -1, 4, 4))}, "rows must be ranges of rows that there are"),
        (
            {"node": "n", "rows": rows(Rows(0, 0, 4, 9), Rows(0, 0, 5, 9))},
            "rows must be no more at a time than the buffers hold",
        ),
    ],
)
def test_buffers_that_do_not_fit_their_properties_are_refused(properties, sentence):
    assert sentence in refusal(on_buffers("activation", [TILE], [TILE], properties))


def test_the_two_forms_are_not_mixed():
    buffer = create_ssa_value(attr.buffer_type(TILE, DType.f32))
    op = KINDS["activation"].create(operands=[buffer], result_types=[attr.tile_type(TILE, DType.f32)])
    assert "works on tensors or, with the property segments, on memrefs" in refusal(op)
    tile = create_ssa_value(attr.tile_type(TILE, DType.f32))
    op = KINDS["activation"].create(operands=[tile, tile], properties={"segments": attr.ints((1, 1, 0, 0))})
    assert "has the property segments, so its operands are memrefs and it makes no results" in refusal(op)


def test_shapes_are_those_of_whole_tiles_however_few_rows_the_buffers_hold():
    some = rows(Rows(0, 0, 2, 9), Rows(0, 0, 1, 8))
    op = on_buffers("pool", [(2, 4, 6)], [(1, 3, 6)], {"node": "n", "rows": some})
    op.verify()
    assert (op.input_shapes, op.output_shapes) == ([(9, 4, 6)], [(8, 3, 6)])


ARRAYS = [  # kernel, properties beside the right ones, arrays by key, what is wrong
    ("apply_filters", {}, {"w": (7, 8, 2, 2)}, ""),
    ("apply_filters", {}, {"w": (7, 7, 2, 2)}, "needs weights of [7 or more, 8 or more, 2, 2] float32 elements"),
    ("apply_filters", {}, {"w": (7, 8, 2, 3)}, "but those are [7, 8, 2, 3] of float32"),
    ("apply_filters", {"bias": "b"}, {"w": (7, 8, 2, 2), "b": (6,)}, "needs a bias of [7 or more] float32 elements"),
    ("apply_blocks", {}, {"w": (5, 2, 2, 2)}, ""),
    ("apply_blocks", {}, {"w": (5, 3, 2, 2)}, "needs weights of [5 or more, 2, 2, 2] float32 elements"),
    ("apply_blocks", {}, {"w": (10, 2, 2, 2)}, "has weights of 10 filters for 5 groups that make 5"),
    ("interleave", {"bias": "b"}, {"b": (6,)}, ""),
    ("interleave", {"bias": "b"}, {"b": (5,)}, "needs a bias of [6 or more] float32 elements, but those are [5]"),
    ("vadd", {"bias": "b"}, {"b": (12,)}, ""),
    ("vadd", {"bias": "b"}, {"b": (11,)}, "needs a bias of [12 or more] float32 elements, but those are [11]"),
    ("nest", NestOp.described(WEIGHTED, [("w", DType.f32)]), {"w": (4,)}, ""),
    (
        "nest",
        NestOp.described(WEIGHTED, [("w", DType.f32)]),
        {"w": (3,)},
        "has an array w [3] of float32: a map that reaches",
    ),
]


@pytest.mark.parametrize(("kind", "more", "shapes", "sentence"), ARRAYS)
def test_arrays_that_kernels_name(kind, more, shapes, sentence):
    inputs, outputs, properties = RIGHT[kind]
    op = on_tiles(kind, inputs[: 1 if "constant" in more else None], outputs, {**properties, **more})
    weights = WeightStore()
    for key, shape in shapes.items():
        weights.put(key, np.zeros(shape, np.float32))
    op.verify()
    if not sentence:
        op.verify_arrays(weights)
        return
    with pytest.raises(VerifyException) as error:
        op.verify_arrays(weights)
    assert sentence in str(error.value)


def test_scratch_and_constants_are_those_that_a_kernel_asks_for():
    op = on_buffers("softmax", [TILE], [TILE], {"node": "n"})
    with pytest.raises(VerifyException) as error:
        op.verify_extras(WeightStore())
    assert "has scratch and constants [] and [], but needs [[1, 1, 1, 'f32']] and []" in str(error.value)
