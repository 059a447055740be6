"""Schedules of products: dependencies hold, what is held has room, chains set the length; wrong ones are refused."""

import gc
import time

import pytest
import strategies as own
from hypothesis import given
from hypothesis import strategies as st

from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import make, parse_passes
from compiler.offload.program import HostProgram
from compiler.offload.schedule import Graph, Resources, Schedule, ScheduleFault, check_schedule
from compiler.offload.strategies import ENTRY_POINTS, SCHEDULES, Alap, Asap
from emu.arch import Arch, Core, Crossbar
from emu.arch.read import load_arch
from emu.errors import InputError
from emu.isa.dtypes import DType
from emu.program.banks import Bank, spec_for

ARCH = Arch(name="small", cores=8, core=Core(crossbars=6), crossbar=Crossbar(4, 4))
STRATEGIES = [*SCHEDULES.values(), own.OneByOne, own.Overlapping]


def resources(sizes, cores, crossbars):
    specs = tuple(spec_for(ARCH, 4 * size, 4, (DType.i32,) * 3) for size in sizes)
    return Resources(cores, ARCH.core.crossbars, crossbars, Bank(ARCH), specs)


def graph_of(needs, sizes=None):
    return Graph(tuple(sizes or [1] * len(needs)), tuple(map(tuple, needs)))


@st.composite
def graphs(draw):
    """Products of several sizes, and sums of them, in any order of dependencies."""
    products, sums = draw(st.integers(1, 20)), draw(st.integers(0, 6))
    order = draw(st.permutations(range(products + sums)))
    needs = [()] * (products + sums)
    for place, number in enumerate(order):
        least = 0 if number < products or not place else min(2, place)
        before = st.sets(st.sampled_from(order[:place] or [0]), min_size=least, max_size=3) if place else st.just(())
        needs[number] = tuple(draw(before))
    for number in range(products, products + sums):
        needs[number] = needs[number] or (0,)
    sizes = draw(st.lists(st.integers(1, 6), min_size=products, max_size=products))
    return Graph(tuple(sizes), tuple(needs))


def acyclic(graph):
    return len(graph.order()) == len(graph.needs)


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(graph=graphs().filter(acyclic), cores=st.integers(1, 3), crossbars=st.integers(6, 20))
def test_any_graph(strategy, graph, cores, crossbars):
    given_ = resources(graph.crossbars, cores, crossbars)
    made = strategy().schedule(graph, given_)
    events = check_schedule(made, graph, given_)
    assert sorted(events) == sorted((number, flag) for number in range(graph.products) for flag in (False, True))
    held, most = 0, 0
    for number, awaited in events:
        held += -graph.crossbars[number] if awaited else graph.crossbars[number]
        most = max(most, held)
    assert held == 0
    assert most <= crossbars


def steps(strategy, needs, crossbars, sizes=None):
    graph = graph_of(needs, sizes)
    made = strategy().schedule(graph, resources(graph.crossbars, 8, crossbars))
    assert list(made.wait) == [step + 1 for step in made.dispatch]
    return made.dispatch


# Steps with 1, 2 and 4 crossbars: of two products and one of both results; of three in a row; of ten by themselves.
@pytest.mark.parametrize("strategy", [Asap, Alap])
@pytest.mark.parametrize(
    ("needs", "lengths"),
    [
        ([(), (), (0, 1)], (3, 2, 2)),
        ([(), (0,), (1,)], (3, 3, 3)),
        ([()] * 10, (10, 5, 3)),
    ],
)
def test_kernels(strategy, needs, lengths):
    assert tuple(max(steps(strategy, needs, crossbars)) + 1 for crossbars in (1, 2, 4)) == lengths


def test_a_product_may_take_several_crossbars():
    assert steps(Asap, [()] * 4, 4, [3, 2, 1, 2]) == [0, 1, 0, 1]
    assert steps(Alap, [()] * 4, 4, [3, 2, 1, 2]) == [1, 0, 1, 0]


def test_late_is_later_than_soon():
    needs = [(), (), (0,), (2,)]  # the second one is needed by nobody
    assert (steps(Asap, needs, 2)[1], steps(Alap, needs, 2)[1]) == (0, 2)


@pytest.mark.parametrize("strategy", [Asap, Alap])
def test_three_thousand_products_take_little_time(strategy):
    needs = [(place - 7,) if place % 3 and place >= 7 else () for place in range(3000)]
    began = time.process_time()
    steps(strategy, needs, 4)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("dispatch", "wait", "said"),
    [
        ([0, 0], [1, 1], "dispatches it at 0, and what it needs is awaited at 1"),
        ([0, 1], [0, 2], "awaits it at 0, and dispatches it at 0"),
        ([0], [1, 2], "answers with 1 times 'dispatch' for 2 products"),
        ([0, 1], None, "answers with a Schedule that has no times 'wait'"),
        ([0, 1.5], [1, 2], "answers with times 'dispatch' that are no whole numbers"),
    ],
)
def test_a_wrong_schedule_is_told(dispatch, wait, said):
    with pytest.raises(ScheduleFault, match=said):
        check_schedule(Schedule(dispatch, wait), graph_of([(), (0,)]), resources([1, 1], 1, 2))


TEXT = """func.func @main(%a: tensor<4x4xi32>, %b: tensor<4x4xi32>) -> (tensor<4x4xi32>, tensor<4x4xi32>) {
  %p = cinm.gemm(%a, %b) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %q = cinm.gemm(%b, %a) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %r = cinm.gemm(%p, %q) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  return %q, %r : tensor<4x4xi32>, tensor<4x4xi32>
}
"""


def lowered(schedule, crossbars=1, text=TEXT):
    context = OffloadContext(ARCH, 1)
    program = HostProgram.read("x.mlir", text.encode(), context)
    passes = parse_passes(f"cinm-to-cim{{schedule={schedule} crossbars={crossbars}}}")
    return program.lowered(passes, context, "cim").text()


def calls(text):
    return [line.split("cim.")[1].split("(")[0] for line in text.splitlines() if "gemm" in line or "barrier" in line]


def test_a_strategy_may_let_products_overlap():
    overlapping = lowered("strategies:Overlapping", 2)
    assert calls(overlapping) == ["gemm", "gemm", "barrier", "barrier", "gemm", "barrier"]
    assert calls(lowered("asap")) == ["gemm", "barrier"] * 3


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("TooSoon", "line 4: cinm.gemm is scheduled wrongly: {} dispatches it at 0, and what it needs is awaited at 3"),
        ("TooMany", "line 4: cinm.gemm is scheduled wrongly: {} dispatches it at 0, and what it needs is awaited at 1"),
        ("NeverAwaited", "line 2: cinm.gemm is scheduled wrongly: {} awaits it at 0, and dispatches it at 0"),
        ("TooFew", "line 2: cinm.gemm is scheduled wrongly: {} answers with 1 times 'dispatch' for 3 products"),
        ("NoNumbers", "line 2: cinm.gemm is scheduled wrongly: {} answers with times 'dispatch' that are no whole"),
        ("Nothing", "line 2: cinm.gemm is scheduled wrongly: {} answers with a NoneType that has no times 'dispatch'"),
        ("Raising", "the schedule {} fails: RuntimeError: no idea"),
        ("NoMethod", "the schedule {} has no method `schedule`, of a graph and resources"),
        ("Unmakeable", "the schedule {} cannot be made: TypeError: "),
        ("Missing", "the schedule {} cannot be imported: AttributeError: "),
    ],
)
def test_a_wrong_strategy_is_named(name, said):
    path = f"strategies:{name}"
    with pytest.raises(InputError) as caught:
        lowered(path)
    assert str(caught.value).startswith("x.mlir: " + said.format(repr(path)))


def test_too_many_at_a_time_are_refused():
    text = TEXT.replace("cinm.gemm(%p, %q)", "cinm.gemm(%a, %a)")
    text = text.replace("return %q", "%s = arith.addi %p, %q : tensor<4x4xi32>\nreturn %s")
    assert calls(lowered("strategies:TooMany", 3, text)) == ["gemm"] * 3 + ["barrier"] * 3
    with pytest.raises(InputError, match=r"line 4: cinm.gemm is scheduled wrongly: .* at 0, when no core"):
        lowered("strategies:TooMany", 2, text)


def test_a_loop_that_nobody_needs_is_not_called():
    text = TEXT.replace(
        "  return",
        """  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %l = scf.for %i = %zero to %one step %one iter_args(%v = %p) -> (tensor<4x4xi32>) {
    %w = cinm.gemm(%v, %v) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
    scf.yield %w : tensor<4x4xi32>
  }
  return""",
    )
    made = lowered("asap", 1, text)
    assert "scf.for" not in made
    assert calls(made) == ["gemm", "barrier"] * 3
    inside = lowered("asap", 1, text.replace("return %q", "return %l"))
    assert calls(inside) == ["gemm", "barrier"] * 4


def test_a_strategy_of_an_installed_package(monkeypatch):
    from importlib import metadata

    entry = metadata.EntryPoint("mine", "strategies:OneByOne", ENTRY_POINTS)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [entry] if group == ENTRY_POINTS else [])
    assert calls(lowered("mine")) == ["gemm", "barrier"] * 3
    with pytest.raises(InputError, match="there is no schedule 'mines': use asap, alap, mine, or the import path"):
        lowered("mines")


# Products that hang on all before, on a sum of all before, or on none.
@pytest.mark.parametrize("kind", ["chain", "sum", "free"])
@pytest.mark.parametrize("number", [pytest.param(3000, marks=pytest.mark.full), 500])
def test_the_pass_takes_time_by_the_number_of_products(kind, number):
    tensor = "tensor<2x2xi32>"
    lines = []
    for i in range(number):
        first = {"chain": f"%p{i - 1}", "sum": f"%s{i - 1}", "free": "%a"}[kind] if i else "%a"
        lines += [
            f"%p{i} = cinm.gemm({first}, %b) : ({tensor}, {tensor}) -> {tensor}",
            f"%s{i} = arith.addi %p{i}, {f'%s{i - 1}' if i else '%a'} : {tensor}",
        ]
    body = "\n".join(lines)
    text = f"func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{\n{body}\nreturn %s{number - 1} : {tensor}\n}}"
    context = OffloadContext(load_arch("default"), 4)
    program = HostProgram.read("x.mlir", text.encode(), context)
    gc.disable()  # looking through what all tests before this one have left is no time of the pass
    try:
        began = time.process_time()
        module = program.text.module.clone()
        make("cinm-to-cim").apply(context, module)
        took = time.process_time() - began
    finally:
        gc.enable()
    assert took < 2 * max(number / 3000, 0.5)
