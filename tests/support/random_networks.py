"""Random networks of nests and of what stands between them, on chips of small crossbars: as onnxruntime computes them.

`python -m random_networks --count N --seed S` checks so many, prints what came of them, and ends with 1 if any of them
was wrong; `--only K` checks case K of them alone, `--reduce` the smallest that goes wrong.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import prod

import campaigns
import numpy as np
from campaigns import Tally
from hypothesis import strategies as st
from in_process import compile_in_memory, run_in_process
from random_graphs import MOST, TABLE, Case, Graph, random_graphs
from random_histories import derived

from emu.arch import Arch, Core, Crossbar
from emu.errors import EmuError

PRODUCTS = ("MatMul", "MatMul", "Gemm", "Conv", "MatMulInteger", "Einsum", "ConvTranspose")
BINARY = ("Add", "Add", "Mul", "Sub", "Max", "Where", "Div", "Less", "PRelu", "Sum")
MOVED = (
    *("Reshape", "Reshape", "Transpose", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Concat", "Concat", "Split"),
    *("Slice", "Pad", "Expand", "Tile", "Gather", "GatherElements", "DepthToSpace", "SpaceToDepth", "ScatterND"),
)
OTHERS = (
    *("ReduceSum", "ReduceMax", "ReduceMean", "Softmax", "LayerNormalization", "Relu", "Gelu", "Cast", "CumSum"),
    *("MaxPool", "AveragePool", "GlobalAveragePool", "BatchNormalization", "LRN", "QuantizeLinear", "ArgMax", "TopK"),
)
OPERATORS = (*PRODUCTS, *PRODUCTS, *BINARY, *MOVED, *OTHERS)
ELEMENTWISE = ("Add", "Add", "Mul", "Sub", "Max", "Min", "Where")
AFTERWARDS = ("MatMul", "Softmax", "ReduceSum", "ReduceMax", "Concat", "Transpose", "Reshape", "Slice", "Split", "Pad")
RANKS = (3, 2, 4, 1, 5, 3, 4, 6, 0)
DIMENSIONS = (2, 3, 4, 1, 5, 6, 7, 9)
SIZES = (2, 3, 4, 2, 5, 9)  # rows and columns of crossbars: most channels are several tiles


@dataclass(frozen=True)
class Way:
    """How a network is compiled for crossbars of which size, and by what it runs."""

    crossbar: tuple[int, int]
    cores: int
    granularity: str
    packing: str
    placement: str
    engine: str
    products: str = "constant"


WAYS = st.builds(
    Way,
    st.tuples(st.sampled_from(SIZES), st.sampled_from(SIZES)),
    st.sampled_from([1, 3, 20]),
    st.sampled_from(["image", "image", "rows:1", "rows:2"]),
    st.sampled_from(["dense", "kernel"]),
    st.sampled_from(["frugal", "scatter", "pack"]),
    st.sampled_from(["batch", "batch", "step"]),
    st.sampled_from(["constant", "all"]),
)


@st.composite
def beside(draw: st.DrawFn) -> Case:
    """Elementwise nodes on operands of any history: each stands in memory in its own way, and is tiled in its own way.

    Some nodes that move or reduce what they make follow, or multiply it.
    """
    graph = Graph(draw, np.random.default_rng(draw(st.integers(0, 1 << 16))), types=("float32",))
    shape = [draw(st.sampled_from(DIMENSIONS)) for _ in range(draw(st.sampled_from(RANKS)))]
    while prod(shape) > MOST:
        shape[shape.index(max(shape))] //= 2
    made = operand(graph, tuple(shape), product=True)
    for _ in range(draw(st.integers(1, 3))):
        kept = shape if draw(st.integers(0, 2)) else [draw(st.sampled_from([1, dim])) for dim in shape]
        pair = [made, operand(graph, tuple(kept[draw(st.sampled_from([0, 0, 0, *range(len(kept))])) :]))]
        kind = draw(st.sampled_from(ELEMENTWISE))
        mask = [graph.fresh("bool", shape)] if kind == "Where" else []
        (made,) = graph.add(kind, [*mask, *draw(st.permutations(pair))]) or [made]
    for kind in draw(st.lists(st.sampled_from(AFTERWARDS), max_size=2)):
        TABLE[kind](graph, kind)
    return graph.case()


def operand(graph: Graph, shape: tuple[int, ...], product: bool = False) -> str:
    """An input, or what moves and products make; or a `product`, whose channels are tiles."""
    if not product and graph.integer(0, 3) == 0:
        return graph.fresh("float32", shape)
    return derived(graph, "float32", shape, exact=False, product=product)


def cases() -> st.SearchStrategy[Case]:
    """A network with an input and its golden outputs: of all operators, or of nests with operands of any history."""
    return st.one_of(beside(), beside(), random_graphs(OPERATORS))


def check(case: Case, way: Way) -> str:
    """Why the compiler refuses, or nothing; raises AssertionError, or what was raised, if anything is wrong."""
    rows, cols = way.crossbar
    chip = Arch(name="small", cores=64, core=Core(crossbars=1024), crossbar=Crossbar(rows, cols))
    try:
        compiled = compile_in_memory(
            case.model, chip, way.cores, way.packing, way.placement, way.granularity, products=way.products
        )
    except EmuError as error:
        sentence = str(error)
        assert error.exit_code == 2 and "\n" not in sentence and 20 < len(sentence) < 1000, sentence
        return sentence
    (found,) = run_in_process(compiled, [case.sample], way.engine)
    case.assert_close(found)
    return ""


def campaign(count: int, number: int, only: int | None = None, shrink: bool = False) -> Tally:
    """So many cases, as `campaigns.campaign` checks them."""
    return campaigns.campaign(cases(), WAYS, check, count, number, only, shrink)


if __name__ == "__main__":
    sys.exit(campaigns.main(campaign, __doc__))
