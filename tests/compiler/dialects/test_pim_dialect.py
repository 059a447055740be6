"""What the verifiers of `pim` refuse; its text reads back as it was."""

import gc
import weakref
from io import StringIO

import pytest
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr, f32, f64
from xdsl.ir import Block, Region
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from compiler.basis import by_identity
from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.boxes import BoxesAttr, FormAttr
from compiler.dialects.rows import Rows, rows_attribute, rows_of
from compiler.session.context import make_context
from emu.isa.dtypes import DType
from emu.program.form import Form

FORM = {"form": FormAttr(Form((1, 2, 3, 4), (2, 3, 4), ("", "C", "H", "W")))}
WHOLE = ((0, 3), (0, 4), (0, 2))


def tensor(kind, **change):
    more = {"kind": StringAttr(kind), "tensor": StringAttr("x"), "addresses": attr.ints((64,)), "element": f32}
    boxes = {"boxes": BoxesAttr((WHOLE,))}
    return pim.TensorOp.create(properties={**FORM, **more, **boxes, **change})


def transfer(kind, buffer, **properties):
    return kind.create(operands=[buffer], properties={"node": StringAttr("n"), **properties})


def write(buffer, *units):
    """A write of the weights of some units."""
    return pim.WriteOp.create(operands=[buffer], properties={"segment": attr.integer(1), "units": attr.ints(units)})


def a_program():
    """A module with every operation of the dialect."""
    rows, address = rows_attribute([Rows(0, 1, 1, 3)]), attr.integer(64)
    alloc = pim.AllocOp.create(result_types=[attr.buffer_type((1, 4, 2), DType.f32)], properties={"address": address})
    key = {"key": StringAttr("k")}
    constant = pim.ConstantOp.create(result_types=[attr.buffer_type((1, 1, 2), DType.f32)], properties=key)
    peer = {"peer": attr.integer(1), "message": attr.integer(0), "rows": rows}
    inside = [
        transfer(pim.LoadOp, alloc.buffer, address=address, rows=rows),
        transfer(pim.StoreOp, alloc.buffer, address=address, rows=rows),
        transfer(pim.SendOp, alloc.buffer, **peer),
        transfer(pim.ReceiveOp, alloc.buffer, **peer),
    ]
    loop = pim.LoopOp.create(properties={"trips": attr.integer(3)}, regions=[Region(Block(inside))])
    done = pim.CompleteOp.create(
        operands=[alloc.buffer],
        properties={**FORM, "tensor": StringAttr("x"), "boxes": BoxesAttr((((1, 2), (0, 4), (0, 2)),))},
    )
    block = Block([alloc, constant, write(alloc.buffer, 3, 5), loop, done, pim.HaltOp.create()])
    core = pim.CoreOp.create(properties={"coreId": attr.integer(0)}, regions=[Region(block)])
    return ModuleOp([tensor("input"), tensor("output"), core])


@pytest.mark.parametrize("generic", [True, False])
def test_text_reads_back(generic):
    module, stream = a_program(), StringIO()
    module.verify()
    assert {op.name for op in module.walk()} - {"builtin.module"} == {op.name for op in pim.PimDialect.operations}
    Printer(stream, print_generic_format=generic).print_op(module)
    assert Parser(make_context(), stream.getvalue()).parse_module().is_structurally_equivalent(module)


def test_a_write_names_units_once_and_passes_them_through_a_buffer():
    alloc = pim.AllocOp.create(result_types=[attr.buffer_type((1, 1, 64), DType.i8)])
    for units in ((), (2, 2)):
        with pytest.raises(VerifyException, match="units must be numbers of kernels, each once, not"):
            write(alloc.buffer, *units).verify()
    key = {"key": StringAttr("k")}
    constant = pim.ConstantOp.create(result_types=[attr.buffer_type((1, 1, 2), DType.f32)], properties=key)
    with pytest.raises(VerifyException, match="cannot pass weights through constant data"):
        write(constant.buffer, 1).verify()


def test_a_tensor_is_an_input_or_an_output():
    tensor("output").verify()
    with pytest.raises(VerifyException, match="kind = \"inputs\" does not exist; did you mean 'input'"):
        tensor("inputs").verify()
    with pytest.raises(VerifyException, match='kind = "weights" does not exist'):
        tensor("weights").verify()


def test_the_boxes_of_a_tensor_cover_it_once():
    halves = {"boxes": BoxesAttr((((0, 2), *WHOLE[1:]), ((2, 3), *WHOLE[1:]))), "addresses": attr.ints((0, 64))}
    tensor("input", **halves).verify()
    with pytest.raises(VerifyException, match="boxes must hold 2 boxes, one per address, not 1"):
        tensor("input", addresses=attr.ints((0, 64))).verify()
    with pytest.raises(VerifyException, match=r"its tiles .* must cover \[0:3, 0:4, 0:2\] once"):
        tensor("input", boxes=BoxesAttr((((0, 2), *WHOLE[1:]),))).verify()
    with pytest.raises(VerifyException, match="H 0 to 4 of a tensor that has 3"):
        tensor("input", boxes=BoxesAttr((((0, 4), *WHOLE[1:]),))).verify()
    with pytest.raises(VerifyException, match="elements of type f64 do not exist: use f32, f16, i8"):
        tensor("input", element=f64).verify()


@pytest.mark.parametrize("kind", [pim.LoadOp, pim.StoreOp, pim.SendOp, pim.ReceiveOp])
def test_a_transfer_tells_its_node(kind):
    alloc = pim.AllocOp.create(result_types=[attr.buffer_type((1, 4, 2), DType.f32)])
    with pytest.raises(VerifyException, match=r"property '(node|address|peer)' expected"):
        kind.create(operands=[alloc.buffer]).verify()


def test_only_buffers_are_moved():
    tile = create_ssa_value(attr.tile_type((1, 4, 2), DType.f32))
    with pytest.raises(VerifyException, match="should be of base attribute memref"):
        transfer(pim.LoadOp, tile, address=attr.integer(0)).verify()
    buffer = create_ssa_value(attr.buffer_type((1, 4, 2), DType.f32))
    transfer(pim.LoadOp, buffer, address=attr.integer(0)).verify()


def test_rows_are_ranges():
    rows = [Rows(0, 1, 2, 9), Rows(3, 0, 4, 8)]
    assert rows_attribute(rows).text() == "0:2 of 9 by 1, 3:7 of 8"
    assert rows_of(rows_attribute(rows)) == rows
    assert rows_of(None) == []


def message(*shapes, addresses=(), rows=None):
    """One end of a message of buffers of these shapes."""
    allocs = [pim.AllocOp.create(result_types=[attr.buffer_type(shape, DType.f32)]) for shape in shapes]
    for alloc, address in zip(allocs, addresses, strict=False):
        alloc.properties["address"] = attr.integer(address)
    properties = {"node": StringAttr("n"), "peer": attr.integer(1), "message": attr.integer(0)}
    if rows is not None:
        properties["rows"] = rows_attribute(rows)
    return pim.SendOp.create(operands=[alloc.buffer for alloc in allocs], properties=properties)


def test_buffers_of_one_message_are_whole_and_follow_each_other():
    whole = [Rows(0, 0, 2, 2), Rows(0, 0, 1, 1)]
    message((2, 1, 4), (1, 1, 4)).verify()
    message((2, 1, 4), (1, 1, 4), rows=whole, addresses=(64, 96)).verify()
    message((2, 1, 4), (1, 1, 4), addresses=(64,)).verify()
    with pytest.raises(VerifyException, match="its buffers must follow each other in memory, without a byte between"):
        message((2, 1, 4), (1, 1, 4), addresses=(64, 100)).verify()
    with pytest.raises(VerifyException, match="must have all rows of each of its buffers, or only one buffer"):
        message((2, 1, 4), (1, 1, 4), rows=[Rows(0, 0, 1, 2), Rows(0, 0, 1, 1)]).verify()
    with pytest.raises(VerifyException, match="rows must hold 2 ranges, one per buffer, not 1"):
        message((2, 1, 4), (1, 1, 4), rows=whole[:1]).verify()
    with pytest.raises(VerifyException, match="must have a buffer"):
        message().verify()


def test_shapes_of_types_are_not_remembered_for_ever(monkeypatch):
    monkeypatch.setattr(by_identity, "MOST", 8)
    kinds = []
    for size in range(1, 60):
        kind = MemRefType(f32, [size, 3])
        kinds.append(weakref.ref(kind))
        assert attr.shape_of(create_ssa_value(kind)) == (size, 3)
    del kind
    gc.collect()
    assert sum(known() is not None for known in kinds) <= 8
