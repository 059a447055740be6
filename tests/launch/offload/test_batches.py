"""Batches of any contraction, wherever their loops stand in operands, are taken out of it: the same comes out."""

from pathlib import Path

import numpy as np
from draws import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import parse_passes
from compiler.offload.program import HostProgram
from emu.arch import Arch

CONTEXT = OffloadContext(Arch(), 1)
BATCHES = ("d0", "d1")
BODY = """^bb0(%x: i32, %y: i32, %z: i32):
  %p = arith.muli %x, %y : i32
  %s = arith.addi %z, %p : i32
  linalg.yield %s : i32"""


@st.composite
def batched(draw):
    """A text, the shapes of its inputs, and whether some loop of a batch is a dimension of its own of all operands."""
    sizes = {f"d{loop}": draw(st.integers(1, 5)) for loop in range(5)}  # two batches, m, n and k
    operands, own = [], set(BATCHES)
    for loops in (("d2", "d4"), ("d4", "d3")):
        terms = [[(loop, 1)] for loop in (*BATCHES, *loops)]
        if draw(st.booleans()):
            twice = draw(st.sampled_from(BATCHES))
            own.discard(twice)
            factor = draw(st.integers(1, 2))
            if draw(st.booleans()):
                terms.append([(twice, factor)])
            else:
                at = draw(st.sampled_from([place for place, term in enumerate(terms) if term != [(twice, 1)]]))
                own.discard(terms[at][0][0])
                terms[at] = [(terms[at][0][0], factor), (twice, 1)]
        operands.append(draw(st.permutations(terms)))
    operands.append(draw(st.permutations([[(loop, 1)] for loop in (*BATCHES, "d2", "d3")])))
    assume(any([("d4", 1)] in terms for terms in operands))  # else nothing says how often it runs
    shapes = [[1 + sum(factor * (sizes[loop] - 1) for loop, factor in term) for term in terms] for terms in operands]
    maps = [
        ", ".join(" + ".join(loop if factor == 1 else f"{loop} * {factor}" for loop, factor in term) for term in terms)
        for terms in operands
    ]
    kinds = [f"tensor<{'x'.join(map(str, shape))}xi32>" for shape in shapes]
    loops = "d0, d1, d2, d3, d4"
    text = (
        f"func.func @main(%a: {kinds[0]}, %b: {kinds[1]}, %c: {kinds[2]}) -> {kinds[2]} {{\n%r = linalg.generic"
        f" {{indexing_maps = [{', '.join(f'affine_map<({loops}) -> ({each})>' for each in maps)}], iterator_types ="
        ' ["parallel", "parallel", "parallel", "parallel", "reduction"]}'
        f" ins(%a, %b : {kinds[0]}, {kinds[1]}) outs(%c : {kinds[2]}) {{\n{BODY}\n}} -> {kinds[2]}\n"
        f"return %r : {kinds[2]}\n}}"
    )
    return text, shapes, bool(own)


@settings(max_examples=examples(20, 400))
@given(made=batched(), most=st.integers(0, 20))
def test_batches_wherever_they_stand(made, most):
    text, shapes, own = made
    program = HostProgram.read(Path("batches.mlir"), text.encode(), CONTEXT)
    lowered = program.lowered(parse_passes(f"unbatch{{written-out={most}}}"), CONTEXT, "contractions")
    # What is left has fewer loops, but for what no loop can be taken out of.
    assert ("d4" in lowered.text()) != own
    rng = np.random.default_rng(len(text))
    arrays = [rng.integers(-99, 99, shape).astype(np.int32) for shape in shapes]
    np.testing.assert_array_equal(lowered.run(arrays, None), program.run(arrays))
