"""Runs of buffers: nobody has two neighbours on one side, and no run is a circle."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import StringAttr

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.streaming.adjacency import Adjacency
from emu.isa.dtypes import DType


def buffers(count):
    kind = attr.buffer_type((1, 1, 4), DType.f32)
    return [pim.AllocOp.create(result_types=[kind]).buffer for _ in range(count)]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20))
def test_runs_are_an_order_in_which_all_links_hold(wishes):
    all_buffers, beside, links = buffers(6), Adjacency(), set()
    for first, second in wishes:
        if beside.allows(all_buffers[first], all_buffers[second]):
            beside.link(all_buffers[first], all_buffers[second])
            links.add((first, second))
    runs = {tuple(all_buffers.index(value) for value in beside.run(buffer)) for buffer in all_buffers}
    assert sorted(number for run in runs for number in run) == list(range(6)), "each buffer is in one run, once"
    assert {pair for run in runs for pair in pairwise(run)} == links


def test_what_is_asked_for_twice_is_allowed_again():
    (a, b, c), beside = buffers(3), Adjacency()
    beside.link(a, b)
    assert beside.allows(a, b) and beside.allows(b, c)
    assert not beside.allows(a, c) and not beside.allows(c, b) and not beside.allows(b, a) and not beside.allows(c, c)


def test_constants_stay_where_they_are():
    (a,) = buffers(1)
    kind = attr.buffer_type((1, 1, 4), DType.f32)
    constant = pim.ConstantOp.create(result_types=[kind], properties={"key": StringAttr("k")})
    assert not Adjacency().allows(a, constant.buffer) and not Adjacency().allows(constant.buffer, a)
