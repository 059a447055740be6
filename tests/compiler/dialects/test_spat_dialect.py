"""What the verifiers of `spat` take and what they refuse, with which sentence."""

import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from compiler.dialects import attributes as attr
from compiler.dialects import spat

TILE = attr.tile_type((4, 5, 6))
NARROW = attr.tile_type((4, 5, 2))
IMAGE = {
    "tensor": StringAttr("x"),
    "channels": attr.ints((2, 8)),
    "shape": attr.ints((1, 8, 4, 5)),
    "extent": attr.ints((8, 4, 5)),
    "layout": attr.strings(["", "C", "H", "W"]),
}
BODY = {
    "node": StringAttr("n"),
    "tensors": attr.strings(["y", "y"]),
    "forms": ArrayAttr([DictionaryAttr({})] * 2),
    "channels": attr.ints((0, 6, 6, 8)),
}


def body(kind=spat.ComputeOp, takes=(TILE, NARROW), yields=(TILE, NARROW), **change):
    """A layer or compute that yields the tiles that it is given."""
    block = Block(arg_types=takes)
    values = [create_ssa_value(type_) for type_ in yields]
    block.add_op(spat.YieldOp(operands=[values]))
    return kind.create(
        operands=[create_ssa_value(TILE), create_ssa_value(NARROW)],
        result_types=[TILE, NARROW],
        properties={**BODY, **change},
        regions=[Region(block)],
    )


def image(kind, **change):
    """An input or output of one tile."""
    properties = {**IMAGE, **change}
    if kind is spat.InputOp:
        return kind.create(result_types=[TILE], properties=properties)
    return kind.create(operands=[create_ssa_value(TILE)], properties=properties)


def join(*parts, whole):
    return spat.JoinOp.create(
        operands=[create_ssa_value(attr.tile_type(part)) for part in parts], result_types=[attr.tile_type(whole)]
    )


def refusal(op):
    """The sentence with which an operation is refused."""
    with pytest.raises(VerifyException) as error:
        op.verify(verify_nested_ops=False)
    return str(error.value)


@pytest.mark.parametrize("kind", [spat.InputOp, spat.OutputOp])
def test_tiles_of_images(kind):
    image(kind).verify()
    sentence = "must be (channels, height, width) as the tiles have them"
    assert f"extent [8, 5, 4] {sentence}" in refusal(image(kind, extent=attr.ints((8, 5, 4))))
    assert f"extent [8, 20] {sentence}" in refusal(image(kind, extent=attr.ints((8, 20))))
    sentence = "channels must hold one range per tile, of [6] channels, not"
    assert f"{sentence} [0, 8]" in refusal(image(kind, channels=attr.ints((0, 8))))
    assert f"{sentence} [0, 6, 6, 8]" in refusal(image(kind, channels=attr.ints((0, 6, 6, 8))))


def test_join():
    join((4, 5, 6), (4, 5, 2), whole=(4, 5, 8)).verify()
    assert "joins tiles [[4, 5, 6], [4, 5, 2]] to 9 channels" in refusal(join((4, 5, 6), (4, 5, 2), whole=(4, 5, 9)))
    assert "joins tiles [[4, 5, 6], [4, 4, 2]] to 8 channels" in refusal(join((4, 5, 6), (4, 4, 2), whole=(4, 5, 8)))


@pytest.mark.parametrize("kind", [spat.LayerOp, spat.ComputeOp])
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"takes": (TILE, TILE)}, "the body must take tiles of the types that it is given"),
        ({"takes": (TILE,)}, "the body must take tiles of the types that it is given"),
        ({"yields": (TILE,)}, "the body must end with a spat.yield of tiles of the types of the results"),
        ({"yields": (NARROW, TILE)}, "the body must end with a spat.yield of tiles of the types of the results"),
        ({"tensors": attr.strings(["y"])}, "tensors must hold 2 names, one per result"),
        ({"forms": ArrayAttr([])}, "forms must hold 2 dictionaries, one per result"),
        ({"channels": attr.ints((0, 6))}, "channels must hold one range per tile, of [6, 2] channels, not [0, 6]"),
        ({"channels": attr.ints((0, 6, 6, 9))}, "channels must hold one range per tile, of [6, 2] channels"),
    ],
)
def test_bodies(kind, change, sentence):
    body(kind).verify(verify_nested_ops=False)
    assert sentence in refusal(body(kind, **change))


def test_the_core_of_a_compute_is_a_number_once_it_has_one():
    assert body().number == -1
    assert body(core=attr.integer(3)).number == 3
