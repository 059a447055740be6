"""Random products of two results: of any rank, broadcast, transposed, of integers, of sizes around those of crossbars.

`python -m random_products --count N --seed S` checks so many with `products` "all", prints what came of them, and ends
with 1 if any is not as it must be; `--only K` checks case K of them alone, `--reduce` the smallest that goes wrong.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import campaigns
import numpy as np
from campaigns import Tally
from hypothesis import strategies as st
from in_process import Compiled, check_compiled, compile_in_memory, run_in_process
from random_graphs import MOST, Case, Graph
from random_networks import operand

from emu.arch.chip import BINDINGS, Arch, Core, Crossbar
from emu.errors import EmuError
from emu.isa.codes import WRITES_GROUP
from emu.isa.table import BY_NAME
from emu.program.group import physical_crossbars

ROWS, COLUMNS = 4, 5  # of a crossbar
SIZES = (1, 2, ROWS - 1, ROWS, ROWS + 1, COLUMNS + 1, 2 * ROWS, 2 * ROWS + 1)
TYPES = ("float32", "float32", "float32", "float16", "int32", "int64")
FORMS = ("MatMul", "MatMul", "Einsum", "Gemm", "MatMulInteger", "QLinearMatMul")
MMUL = BY_NAME["mmul"].code
seen = Counter[str]()  # programs that write, and those that multiply on the digital unit


@dataclass(frozen=True)
class Way:
    """On how many crossbars per core, on how many cores, and how; `bits` of a cell, 0 for one that holds any weight."""

    crossbars: int
    cores: int
    granularity: str
    placement: str
    bits: int
    binding: str
    pipelined: bool
    duplicate: str | None


WAYS = st.builds(
    Way,
    st.sampled_from([2, 4, 9, 40, 200]),
    st.sampled_from([1, 3, 20]),
    st.sampled_from(["image", "image", "rows:1", "rows:2", "auto"]),
    st.sampled_from(["frugal", "scatter", "pack"]),
    st.sampled_from([0, 0, 8]),
    st.sampled_from(BINDINGS),
    st.booleans(),
    st.sampled_from([None, None, "latency"]),
)


@st.composite
def products(draw: st.DrawFn) -> Case:
    """One to three products, of which later ones may take what earlier ones make, and what follows them."""
    graph = Graph(draw, np.random.default_rng(draw(st.integers(0, 1 << 16))))
    for _ in range(draw(st.integers(1, 3))):
        form = draw(st.sampled_from(FORMS))
        made = _INTEGERS[form](graph) if form in _INTEGERS else _floats(graph, form)
        if made and draw(st.booleans()) and graph.array(made[0]).ndim and _is_float(graph, made[0]):
            made = graph.add("Softmax", made, axis=-1, exact=False) or made
        if made and _is_float(graph, made[0]) and graph.array(made[0]).ndim >= 2 and draw(st.booleans()):
            inner = graph.array(made[0]).shape[-1]
            other = _operand(graph, str(graph.array(made[0]).dtype), (inner, draw(st.sampled_from(SIZES))))
            graph.add("MatMul", [made[0], other])
    if not graph.nodes:
        graph.add(
            "MatMul", [graph.input(graph.content("float32", (3, 4))), graph.input(graph.content("float32", (4, 5)))]
        )
    return graph.case()


def _is_float(graph: Graph, name: str) -> bool:
    return str(graph.array(name).dtype).startswith("float")


def _operand(graph: Graph, dtype: str, shape: Sequence[int]) -> str:
    """Computed by a product, moved, or an input; floats may be what the network has made before."""
    if dtype == "float32" and graph.integer(0, 2):
        return operand(graph, tuple(shape), product=bool(graph.integer(0, 1)))
    return graph.fresh(dtype, shape, constant=False)


def _sides(graph: Graph, dims: tuple[int, int, int], rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes of two stacks of matrices that broadcast."""
    rows, inner, cols = dims
    stack = [graph.integer(1, 3) for _ in range(rank)]
    sides = list[tuple[int, ...]]()
    for matrix in ((rows, inner), (inner, cols)):
        lead = [size if graph.integer(0, 3) else 1 for size in stack][
            graph.integer(0, len(stack)) * graph.integer(0, 1) :
        ]
        while prod(lead) * prod(matrix) > MOST // 2:
            lead[lead.index(max(lead))] = 1
        sides.append((*lead, *matrix))
    return sides[0], sides[1]


def _dims(graph: Graph) -> tuple[int, int, int]:
    rows, inner, cols = (int(str(graph.choice(*SIZES))) for _ in range(3))
    return rows, inner, cols


def _floats(graph: Graph, form: str) -> list[str]:
    """A product of floats, or of integers as they are."""
    dtype = str(graph.choice(*TYPES))
    left, right = _sides(graph, _dims(graph), 0 if form == "Gemm" else graph.integer(0, 3))
    flags = [bool(graph.integer(0, 1)) for _ in range(2)]
    turned = [
        (*shape[:-2], shape[-1], shape[-2]) if flag else shape for shape, flag in zip((left, right), flags, strict=True)
    ]
    names = [_operand(graph, dtype, shape) for shape in turned]
    exact = not dtype.startswith("float")
    if form == "Gemm":
        return graph.add("Gemm", names, exact=exact, transA=int(flags[0]), transB=int(flags[1]))
    if form == "Einsum":
        return graph.add("Einsum", names, exact=exact, equation=_equation(left, right, flags))
    for place, (name, flag) in enumerate(zip(names, flags, strict=True)):
        if flag:
            rank = len(turned[place])
            made = graph.add("Transpose", [name], perm=[*range(rank - 2), rank - 1, rank - 2])
            if not made:
                return []
            names[place] = made[0]
    return graph.add("MatMul", names, exact=exact)


def _equation(left: Sequence[int], right: Sequence[int], flags: Sequence[bool]) -> str:
    one, two = (("ij", "ji")[flags[0]], ("jk", "kj")[flags[1]])
    return f"...{one},...{two}->...ik"


def _integers(graph: Graph) -> list[str]:
    """int8 and uint8, with zero points or without."""
    left, right = _sides(graph, _dims(graph), graph.integer(0, 2))
    kinds = [str(graph.choice("int8", "uint8")) for _ in range(2)]
    names = [graph.fresh(kind, shape, constant=False) for kind, shape in zip(kinds, (left, right), strict=True)]
    if graph.integer(0, 1):
        names += [graph.constant(np.array(3), kind) for kind in kinds]
    return graph.add("MatMulInteger", names)


def _quantised(graph: Graph) -> list[str]:
    """The same with scales."""
    left, right = _sides(graph, _dims(graph), graph.integer(0, 2))
    kinds = [str(graph.choice("int8", "uint8")) for _ in range(2)]
    names = list[str]()
    for kind, shape in zip(kinds, (left, right), strict=True):
        names += [
            graph.fresh(kind, shape, constant=False),
            graph.constant(np.float32(0.25)),
            graph.constant(np.array(1), kind),
        ]
    return graph.add("QLinearMatMul", [*names, graph.constant(np.float32(2)), graph.constant(np.array(2), kinds[0])])


_INTEGERS = {"MatMulInteger": _integers, "QLinearMatMul": _quantised}


def chip(way: Way) -> Arch:
    """A chip of small crossbars."""
    core = Core(crossbars=way.crossbars)
    return Arch(name="small", cores=64, core=core, crossbar=Crossbar(ROWS, COLUMNS, way.bits, way.binding))


def compiled(case: Case, way: Way, products: str = "all") -> Compiled:
    """The case on its chip."""
    options = {"pipelined": way.pipelined, "duplicate": way.duplicate, "products": products}
    return compile_in_memory(
        case.model, chip(way), way.cores, placement=way.placement, granularity=way.granularity, **options
    )


def check(case: Case, way: Way) -> str:
    """Why the compiler refuses, or nothing; raises AssertionError, or what was raised, if anything is wrong."""
    try:
        made = compiled(case, way)
    except EmuError as error:
        sentence = str(error)
        assert error.exit_code == 2 and "\n" not in sentence and 20 < len(sentence) < 1000, sentence
        return sentence
    report = check_compiled(made)
    assert report.proved, [f"{verdict.title}: {verdict.detail}" for verdict in report.verdicts if verdict.detail]
    for program in made.programs.values():
        assert physical_crossbars(program.groups, made.arch) <= way.crossbars
        codes = program.main.columns["op"]
        seen.update(writes=bool(WRITES_GROUP[codes].any()), digital=bool((codes == MMUL).any()))
    first, again = run_in_process(made, [case.sample] * 2)  # the second one finds what the first one has left behind
    (stepped,) = run_in_process(made, [case.sample], "step", "credits:1")
    for found in (first, again, stepped):
        case.assert_close(found)
        assert all(found[name].tobytes() == first[name].tobytes() for name in first)
    return ""


def campaign(count: int, number: int, only: int | None = None, shrink: bool = False) -> Tally:
    """So many cases, as `campaigns.campaign` checks them."""
    return campaigns.campaign(products(), WAYS, check, count, number, only, shrink)


if __name__ == "__main__":
    code = campaigns.main(campaign, __doc__)
    print(*(f"{name} {count}" for name, count in sorted(seen.items())))
    sys.exit(code)
