"""Fusing chains of elementwise operators: what becomes one nest, what stays, and what that saves."""

import numpy as np
import pytest
from in_process import compile_in_memory
from onnx import helper
from onnx_models import make_model, random_array
from onnx_passes import agree_after, kinds

from compiler.api import compile as compile_network
from compiler.dialects import attributes as attr
from compiler.frontend.importer import import_model
from compiler.passes import PIPELINE
from compiler.session.context import make_context
from compiler.transforms.fuse_nests import MOST_OPERANDS, MOST_STEPS, FuseNestsPass
from emu.arch import Arch, Core
from emu.image.reader import open_image

NODE = helper.make_node
SHAPE = (4, 6)
NEST = "nest.generic"


def fused(nodes, inputs=None, weights=None):
    """The operators that are left, whose network still computes the same."""
    model = make_model(nodes, inputs or {"x": SHAPE}, weights=weights or {})
    return kinds(agree_after(model, FuseNestsPass()))


def gelu(x, y):
    """0.5 x (1 + erf(x / sqrt 2)) in five nodes, as exporters write it."""
    return [
        NODE("Div", [x, "root"], ["d"], "root"),
        NODE("Erf", ["d"], ["e"], "erf"),
        NODE("Add", ["e", "one"], ["a"], "shift"),
        NODE("Mul", [x, "a"], ["m"], "product"),
        NODE("Mul", ["m", "half"], [y], "half"),
    ]


NUMBERS = {name: np.array(value, np.float32) for name, value in (("root", 2**0.5), ("one", 1), ("half", 0.5))}


def test_a_gelu_is_one_nest():
    assert fused(gelu("x", "y"), weights=NUMBERS) == [NEST]


def taken(model):
    """Instructions and local bytes of the programs without the pass, and with it."""
    found = []
    for pipeline in (",".join(name for name in PIPELINE if name != "fuse-nests"), None):
        made = compile_in_memory(model, Arch(), 4, pipeline=pipeline)
        local = sum(attr.bytes_of(op.results[0]) for op in made.module.walk() if op.name == "pim.alloc")
        found.append((sum(len(program.main) for program in made.programs.values()), local))
    return found


def test_a_gelu_takes_fewer_bytes():
    nodes, weights = [NODE("MatMul", ["x", "w"], ["p"]), *gelu("p", "y")], {"w": random_array(8, 64), **NUMBERS}
    (_, local), (_, less) = taken(make_model(nodes, {"x": (300, 8)}, weights=weights))
    assert less < 0.75 * local


def test_a_chain_that_broadcasts_takes_fewer_instructions():
    nodes = [
        NODE("Mul", ["x", "scale"], ["m"]),
        NODE("Add", ["m", "shift"], ["a"]),
        NODE("Sigmoid", ["a"], ["s"]),
        NODE("Mul", ["a", "s"], ["y"]),
    ]
    weights = {"scale": random_array(5, 6), "shift": random_array(6)}
    (instructions, local), (fewer, less) = taken(make_model(nodes, {"x": (3, 5, 6)}, weights=weights))
    assert fewer < instructions
    assert less <= local


def test_activations_become_steps_but_stay_with_a_product():
    weights = {"w": random_array(6, 6), "c": random_array(6)}
    nodes = [
        NODE("MatMul", ["x", "w"], ["p"]),
        NODE("Relu", ["p"], ["r"]),
        NODE("Mul", ["r", "c"], ["m"]),
        NODE("Clip", ["m", "low", "high"], ["k"]),
        NODE("LeakyRelu", ["k"], ["l"], alpha=0.1),
        NODE("Tanh", ["l"], ["y"]),
    ]
    bounds = {"low": np.array(-1, np.float32), "high": np.array(2, np.float32)}
    assert fused(nodes, weights=weights | bounds) == ["MatMul", "Relu", NEST]


def test_a_value_that_the_whole_group_reads_is_computed_once():
    nodes = [NODE("Add", ["x", "x"], ["s"]), NODE("Sigmoid", ["s"], ["g"]), NODE("Mul", ["s", "g"], ["y"])]
    module = agree_after(make_model(nodes, {"x": SHAPE}), FuseNestsPass())
    (nest,) = [op.nest for op in module.walk() if op.name == NEST]
    assert [step.fn for step in nest.body.steps] == ["add", "sigmoid", "mul"]


@pytest.mark.parametrize(
    "nodes",
    [
        [NODE("Neg", ["x"], ["n"]), NODE("ReduceSum", ["n"], ["s"], keepdims=1), NODE("Sub", ["n", "s"], ["y"])],
        [NODE("Neg", ["x"], ["n"]), NODE("Expand", ["n", "shape"], ["y"])],
        [NODE("Exp", ["x"], ["n"]), NODE("Transpose", ["x"], ["t"]), NODE("MatMul", ["n", "t"], ["y"])],
    ],
    ids=["read twice", "read more than once per element", "read by a product"],
)
def test_what_stays(nodes):
    weights = {"shape": np.array([3, *SHAPE])} if nodes[-1].op_type == "Expand" else {}
    made = fused(nodes, weights=weights)
    assert made.count(NEST) == sum(node.op_type != "Transpose" and node.op_type != "Sub" for node in nodes)


def test_outputs_are_made():
    nodes = [NODE("Neg", ["x"], ["n"]), NODE("Abs", ["n"], ["y"])]
    model = make_model(nodes, {"x": SHAPE}, outputs=["n", "y"])
    assert kinds(agree_after(model, FuseNestsPass())) == [NEST, NEST]


def late(order):
    """A sum of two products, times a third one that is made before it or after it."""
    weights = {name: random_array(6, 6, seed=seed) for seed, name in enumerate(("w0", "w1", "w2"))}
    products = [NODE("MatMul", ["x", f"w{index}"], [f"p{index}"]) for index in range(3)]
    nodes = [*products[:2], NODE("Add", ["p0", "p1"], ["s"])]
    nodes.insert(order, products[2])
    return fused([*nodes, NODE("Mul", ["s", "p2"], ["y"])], weights=weights)


def test_no_more_tensors_are_kept_for_a_nest_than_before():
    assert late(2).count(NEST) == 1
    assert late(3) == ["MatMul", "MatMul", "Add", "MatMul", "Mul"]


def test_a_nest_has_few_operands_and_steps():
    names = [f"x{index}" for index in range(2 * MOST_OPERANDS)]
    nodes = [NODE("Sum", names, ["s"])]
    nodes += [NODE("Neg", [f"n{index}" if index else "s"], [f"n{index + 1}"]) for index in range(2 * MOST_STEPS)]
    model = make_model(nodes, dict.fromkeys(names, SHAPE), [f"n{2 * MOST_STEPS}"])
    nests = [op for op in agree_after(model, FuseNestsPass()).walk() if op.name == NEST]
    assert len(nests) == 5
    assert all(len(op.inputs) <= MOST_OPERANDS and len(op.nest.body.steps) <= MOST_STEPS for op in nests)


def test_values_between_steps_take_a_small_part_of_a_memory():
    model = make_model([NODE("Exp", ["x"], ["e"]), NODE("Add", ["x", "e"], ["y"])], {"x": (64, 64)})
    left = []
    for memory in (64 << 10, 1 << 20):
        context = make_context(Arch(core=Core(local_memory=memory)))
        module = import_model(model, context).module
        FuseNestsPass().apply(context, module)
        left.append(kinds(module))
    assert left == [[NEST, "Add"], [NEST]]


def test_the_image_tells_what_a_nest_was_made_of(tmp_path):
    compile_network(make_model(gelu("x", "y"), {"x": SHAPE}, weights=NUMBERS), cores=2, out=tmp_path / "out")
    image = open_image(tmp_path / "out")
    assert {origin.tensor: origin.absent for origin in image.manifest.tensors} == {
        **dict.fromkeys("deam", "fused into node 'half'"),
        "y": "",
    }
    sources = {source.node for core in image.cores for source in image.program(core).sources}
    assert "half" in sources
    assert sources.isdisjoint({"root", "erf", "shift", "product"})
