"""What the verifiers of `spat` take and what they refuse, with which sentence."""

from types import SimpleNamespace

import pytest
from xdsl.dialects.builtin import StringAttr, f32, i8
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.boxes import BoxesAttr, FormAttr, FormsAttr
from compiler.kernels.activation import ActivationOp
from emu.isa.dtypes import DType
from emu.program.form import Form

TILE = attr.tile_type((4, 5, 6), DType.f32)
LAYOUT = ("", "C", "H", "W")
LARGE = Form((1, 7, 4, 5), (7, 4, 5), LAYOUT)
NARROW = attr.tile_type((4, 5, 2), DType.f32)


def boxes(*given):
    """Boxes of two numbers per axis each."""
    return BoxesAttr(tuple(tuple(zip(box[::2], box[1::2], strict=True)) for box in given))


IMAGE = {
    "tensor": StringAttr("x"),
    "boxes": boxes((0, 4, 0, 5, 0, 6)),
    "form": FormAttr(Form((1, 6, 4, 5), (6, 4, 5), LAYOUT)),
}
BODY = {
    "node": StringAttr("n"),
    "tensors": attr.strings(["y", "y"]),
    "forms": FormsAttr((None, None)),
    "boxes": boxes((0, 4, 0, 5, 0, 6), (0, 4, 0, 5, 6, 8)),
}


def body(kind=spat.ComputeOp, takes=(TILE, NARROW), yields=(TILE, NARROW), **change):
    """A layer or compute that makes two tiles of two."""
    block = Block(arg_types=takes)
    kernels = [ActivationOp.create(operands=block.args[:1], result_types=[type_]) for type_ in yields]
    block.add_ops([*kernels, spat.YieldOp(operands=[[kernel.made[0] for kernel in kernels]])])
    return kind.create(
        operands=[create_ssa_value(TILE), create_ssa_value(NARROW)],
        result_types=[TILE, NARROW],
        properties={**BODY, **change},
        regions=[Region(block)],
    )


def image(kind, **change):
    """An input or output of one tile."""
    properties = {**IMAGE, **change}
    if kind is spat.OutputOp:
        properties = {"element": f32, **properties}
    if kind is spat.InputOp:
        return kind.create(result_types=[TILE], properties=properties)
    return kind.create(operands=[create_ssa_value(TILE)], properties=properties)


def join(*parts, whole, **properties):
    return spat.JoinOp.create(
        operands=[create_ssa_value(attr.tile_type(part, DType.f32)) for part in parts],
        result_types=[attr.tile_type(whole, DType.f32)],
        properties=properties,
    )


def refusal(op):
    """The sentence with which an operation is refused."""
    with pytest.raises(VerifyException) as error:
        op.verify(verify_nested_ops=False)
    return str(error.value)


@pytest.mark.parametrize("kind", [spat.InputOp, spat.OutputOp])
def test_tiles_of_images(kind):
    image(kind).verify()
    turned = image(kind, form=FormAttr(Form((1, 6, 5, 4), (6, 5, 4), LAYOUT)))
    assert "a tile [0:4, 0:5, 0:6] holds W 0 to 5 of a tensor that has 4" in refusal(turned)
    assert "extent [6, 20] must hold 3 to 13 sizes" in refusal(
        image(kind, form=FormAttr(Form((1, 6, 4, 5), (6, 20), LAYOUT)))
    )
    assert "shape [1, 6, 4, 5] is not extent [7, 4, 5]" in refusal(
        image(kind, form=FormAttr(Form((1, 6, 4, 5), (7, 4, 5), LAYOUT)))
    )
    assert "boxes must hold 1 boxes, one per tile, not 2" in refusal(image(kind, boxes=BODY["boxes"]))
    for wrong in ((0, 4, 0, 5), (0, 4, 0, 5, -1, 5), (0, 4, 0, 5, 0, 5)):
        assert "it must begin at 0 or later, and have its sizes" in refusal(image(kind, boxes=boxes(wrong)))
    assert "channels 1 to 7 of a tensor that has 6" in refusal(image(kind, boxes=boxes((0, 4, 0, 5, 1, 7))))


def test_the_tiles_of_an_output_cover_it_once():
    rows = [attr.tile_type((2, 5, 6), DType.f32)] * 2
    tiles = [create_ssa_value(row) for row in rows]
    made = {**IMAGE, "element": f32}
    halves = {**made, "boxes": boxes((0, 2, 0, 5, 0, 6), (2, 4, 0, 5, 0, 6))}
    spat.OutputOp.create(operands=tiles, properties=halves).verify()
    both = boxes((0, 2, 0, 5, 0, 6), (1, 3, 0, 5, 0, 6))
    twice = spat.OutputOp.create(operands=tiles, properties={**halves, "boxes": both})
    assert "its tiles [0:2, 0:5, 0:6], [1:3, 0:5, 0:6] must cover [0:4, 0:5, 0:6] once" in refusal(twice)
    half = spat.OutputOp.create(operands=tiles[:1], properties={**made, "boxes": boxes((0, 2, 0, 5, 0, 6))})
    assert "its tiles [0:2, 0:5, 0:6] must cover [0:4, 0:5, 0:6] once" in refusal(half)
    other = spat.OutputOp.create(operands=tiles, properties={**halves, "element": i8})
    assert "is made of tiles of other elements than i8" in refusal(other)


def test_join():
    join((4, 5, 6), (4, 5, 2), whole=(4, 5, 8)).verify()
    assert "joins tiles [[4, 5, 6], [4, 5, 2]] to 9 channels" in refusal(join((4, 5, 6), (4, 5, 2), whole=(4, 5, 9)))
    assert "joins tiles [[4, 5, 6], [4, 4, 2]] to 8 channels" in refusal(join((4, 5, 6), (4, 4, 2), whole=(4, 5, 8)))


def test_join_along_an_axis():
    rows = {"axis": attr.integer(0)}
    join((4, 5, 6), (3, 5, 6), whole=(7, 5, 6), **rows).verify()
    assert "to 8 places along axis 0" in refusal(join((4, 5, 6), (3, 5, 6), whole=(8, 5, 6), **rows))
    assert "to 7 places along axis 0" in refusal(join((4, 5, 6), (3, 4, 6), whole=(7, 5, 6), **rows))
    assert "axis must be one of the 3" in refusal(join((4, 5, 6), whole=(4, 5, 6), axis=attr.integer(3)))


@pytest.mark.parametrize("kind", [spat.PlainLayerOp, spat.ComputeOp])
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"takes": (TILE, TILE)}, "the body must take tiles of the types that it is given"),
        ({"takes": (TILE,)}, "the body must take tiles of the types that it is given"),
        ({"yields": (TILE,)}, "the body must end with a spat.yield of tiles of the types of the results"),
        ({"yields": (NARROW, TILE)}, "the body must end with a spat.yield of tiles of the types of the results"),
        ({"tensors": attr.strings(["y"])}, "tensors must hold 2 names, one per result"),
        ({"forms": FormsAttr(())}, "forms must hold 2 forms, one per result"),
        ({"boxes": boxes((0, 4, 0, 5, 0, 6))}, "boxes must hold 2 boxes, one per tile, not 1"),
        ({"forms": FormsAttr((None, LARGE))}, "a result [0:4, 0:5, 6:8] holds channels 6 to 8 of a tensor that has 7"),
        ({"forms": FormsAttr((None, Form((1,), (6, 20), LAYOUT)))}, "extent [6, 20] must hold 3 to 13 sizes"),
    ],
)
def test_bodies(kind, change, sentence):
    body(kind).verify(verify_nested_ops=False)
    assert sentence in refusal(body(kind, **change))


@pytest.mark.parametrize("kind", [spat.PlainLayerOp, spat.ComputeOp])
@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            lambda op: [create_ssa_value(TILE), *op.last.operands[1:]],
            "has a spat.yield inside that uses what is outside",
        ),
        (lambda op: op.block.args, "the body must yield tiles that it makes, each once"),
    ],
)
def test_what_bodies_yield(kind, wrong, sentence):
    op = body(kind)
    last = op.body.block.last_op
    last.operands = wrong(SimpleNamespace(block=op.body.block, last=last))
    assert sentence in refusal(op)


@pytest.mark.parametrize("kind", [spat.PlainLayerOp, spat.ComputeOp])
def test_what_stands_in_bodies(kind):
    op = body(kind)
    op.body.block.insert_op_before(join((4, 5, 6), whole=(4, 5, 6)), op.body.block.first_op)
    assert "cannot hold a spat.join beside its kernels on tensors" in refusal(op)
    twice = body(kind)
    first, *_ = twice.body.block.last_op.operands
    twice = spat.ComputeOp.create(
        operands=twice.operands,
        result_types=[TILE, TILE],
        properties=twice.properties,
        regions=[twice.detach_region(0)],
    )
    twice.body.block.last_op.operands = [first, first]
    assert "the body must yield tiles that it makes, each once" in refusal(twice)


def test_the_core_of_a_compute_is_a_number_once_it_has_one():
    assert body().number == -1
    assert body(core=attr.integer(3)).number == 3
