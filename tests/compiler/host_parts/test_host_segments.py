"""Networks with refused nodes are cut into segments that together compute the same."""

import filecmp
from itertools import pairwise

import host_nets
import numpy as np
import onnxruntime
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import checker, helper, numpy_helper

from compiler import compile
from compiler.frontend.model import load_model
from compiler.host_parts.cut import cut
from compiler.host_parts.survey import survey
from compiler.interpreter.interpret import interpret
from compiler.session.context import make_context
from emu.errors import CompileError, InputError
from emu.image.reader import open_image
from emu.image.segments import core_images

REFUSED = ("ReverseSequence",)


def surveyed(model, refused=()):
    return survey(load_model(model), make_context(), {}, dict.fromkeys(refused, "refused later"))


def parts_of(model, refused=()):
    return cut(surveyed(model, refused))


def evaluated(model, values, names):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    given = {entry.name: values[entry.name] for entry in session.get_inputs()}
    return dict(zip(names, session.run(list(names), given), strict=True))


def made_by(part, values, weights):
    """What a part makes: nodes of the host by onnxruntime, operations of cores by the reference interpreter."""
    if part.on_host:
        checker.check_model(part.model)
        return evaluated(part.model, values, part.outputs)
    part.imported.module.verify()
    return interpret(part.imported.module, weights, {name: values[name] for name in part.inputs})


@st.composite
def networks(draw):
    """Random graphs of unary and binary nodes, some refused, some that only rename; every value [2, 4]."""
    values, nodes = ["x", "z"], []
    for place in range(draw(st.integers(1, 10))):
        kind, name = draw(st.sampled_from(["Relu", "Add", "Sub", "Identity", "ReverseSequence"])), f"v{place}"
        operands = [draw(st.sampled_from(values)) for _ in range(2 if kind in ("Add", "Sub") else 1)]
        if kind in REFUSED:
            nodes.append(host_nets.reversing(operands[0], name, f"n{place}"))
        else:
            nodes.append(helper.make_node(kind, operands, [name], f"n{place}"))
        values.append(name)
    made = draw(st.lists(st.sampled_from(values[2:]), min_size=1, unique=True))
    shapes = {name: [2, 4] for name in ("x", "z")}
    return host_nets.model(nodes, shapes, {name: [2, 4] for name in made}, host_nets.LENGTHS)


@settings(max_examples=examples(30, 100))
@given(networks())
def test_the_parts_compute_what_the_network_does(model):
    rng = np.random.default_rng(0)
    values = {name: rng.standard_normal((2, 4)).astype(np.float32) for name in ("x", "z")}
    expected = evaluated(model, values, [value.name for value in model.graph.output])
    read, known = surveyed(model), dict(values)
    parts = cut(read)
    for part in parts:
        assert all((kind in REFUSED) == part.on_host for _, kind in part.stands_for)
        known.update(made_by(part, known, read.context.weights))
    assert all(a.on_host != b.on_host for a, b in pairwise(parts)), "parts that could be one"
    for name, array in expected.items():
        np.testing.assert_array_equal(known[name], array)


def quantised(around):
    """Products between DequantizeLinear and QuantizeLinear, with `around` nodes from q to r between the two."""
    rng, nodes, last = np.random.default_rng(0), [], "x"
    arrays = {
        "scale": np.float32(0.1),
        "zero": np.uint8(3),
        "fine": np.float32(0.02),
        "none": np.int8(0),
        "w": rng.integers(-50, 50, (4, 4)).astype(np.int8),
    }
    for place in range(2):
        steps = [
            ("QuantizeLinear", [last, "scale", "zero"], f"q{place}"),
            ("DequantizeLinear", [f"q{place}", "scale", "zero"], f"x{place}"),
            ("DequantizeLinear", ["w", "fine", "none"], f"w{place}"),
            ("MatMul", [f"x{place}", f"w{place}"], f"m{place}"),
            ("QuantizeLinear", [f"m{place}", "scale", "zero"], f"p{place}"),
            ("DequantizeLinear", [f"p{place}", "scale", "zero"], "q" if not place else "y"),
        ]
        nodes += [helper.make_node(kind, inputs, [made], f"n_{made}") for kind, inputs, made in steps]
        nodes += around if not place else []
        last = "r"
    stored = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    return host_nets.model(nodes, {"x": [2, 4]}, {"y": [2, 4]}, host_nets.LENGTHS, *stored)


def test_products_beside_the_host_are_of_integers_as_any_other(tmp_path):
    """The host's operations are cut from what was read, so nothing is read twice, and nothing otherwise."""
    parts = parts_of(quantised([host_nets.reversing("q", "r", "turn")]))
    first, host, last = parts
    whole = parts_of(quantised([helper.make_node("Identity", ["q"], ["r"], "same")]))[0]
    names = [op.name for part in (first, last) for op in part.imported.module.walk() if "." in op.name]
    products = [name for name in names if name.startswith("integer.")]
    assert products and products == [op.name for op in whole.imported.module.walk() if op.name.startswith("integer.")]
    assert first.stands_for == (
        *(("n_q0", "QuantizeLinear"), ("n_x0", "DequantizeLinear"), ("n_m0", "MatMul")),
        *(("n_p0", "QuantizeLinear"), ("n_q", "DequantizeLinear")),
    )
    assert host.stands_for == (("turn", "ReverseSequence"),) and first.work.macs == last.work.macs == 2 * 4 * 4


def test_a_shape_that_onnx_does_not_infer_is_refused(monkeypatch):
    """As without the host: the node is left to it, and its sentence says so."""
    monkeypatch.setattr("compiler.host_parts.survey.node_types", lambda proto, *rest: wrong(proto))
    (node,) = surveyed(
        host_nets.model([helper.make_node("Relu", ["x"], ["y"], "relu")], {"x": [2, 4]}, {"y": [2, 4]})
    ).nodes
    assert "has output shape [2, 4] by its attributes, but ONNX infers [4, 2]" in node.refusal


def wrong(proto):
    return {name: helper.make_tensor_type_proto(1, [4, 2]) for name in proto.output}


@pytest.mark.parametrize("groups", [1, 3])
def test_cores_and_host_take_turns(groups):
    parts = parts_of(host_nets.sandwich(groups))
    assert [part.on_host for part in parts] == [bool(place % 2) for place in range(2 * groups + 1)]
    assert [part.names for part in parts if part.on_host] == [(f"grid{place}",) for place in range(groups)]
    convolution = 3 * 6 * 6 * 3 * 9
    assert [part.work.macs for part in parts] == [0 if part.on_host else convolution for part in parts]
    assert all(part.work.bytes == 3 * 36 * 4 for part in parts[:-1])


def test_types_and_shapes_that_cores_lack_stay_within_the_host():
    first, cores, last = parts_of(host_nets.first_and_last())
    assert (first.names, cores.names) == (("first",), ("product",))
    assert last.names == ("places", "wide", "total", "narrow") and last.outputs == ("y",)


def test_a_node_that_is_refused_later_is_one_for_the_host():
    parts = parts_of(host_nets.sandwich(1), ["conv1"])
    assert [part.names for part in parts] == [("conv0",), ("grid0", "conv1"), ("relu",)]


def test_the_same_image_where_nothing_is_refused(tmp_path):
    node = helper.make_node("Relu", ["x"], ["y"], "relu")
    model = host_nets.model([node], {"x": [2, 4]}, {"y": [2, 4]})
    for name, fallback in (("a", False), ("b", True)):
        compile(model, "tiny", cores=4, out=tmp_path / name, host_fallback=fallback)
    same = filecmp.dircmp(tmp_path / "a", tmp_path / "b")
    assert not (same.left_only or same.right_only or same.diff_files) and same.same_files


def test_the_image_names_segments_and_work(tmp_path):
    result = compile(host_nets.sandwich(2), "tiny", cores=8, out=tmp_path / "out", host_fallback=True)
    image = open_image(tmp_path / "out")
    assert image.manifest.segments == result.segments and image.cores == []
    assert [segment.file for segment in result.segments if segment.on_host] == ["segment_01.onnx", "segment_03.onnx"]
    assert sum(len(part.cores) for part in core_images(image, verify=True)) == result.cores
    absent = {origin.node for origin in image.manifest.tensors if origin.absent}
    assert absent == {"grid0", "grid1"}
    compile(host_nets.sandwich(1), "tiny", cores=8, out=tmp_path / "out", host_fallback=True)  # replaces it
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        *("manifest.json", "segment_00", "segment_01.onnx", "segment_02"),
    ]


def test_foreign_files_in_a_segment_are_not_lost(tmp_path):
    out = tmp_path / "out"
    compile(host_nets.sandwich(), "tiny", cores=8, out=out, host_fallback=True)
    (out / "segment_00" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="segment_00"):
        compile(host_nets.sandwich(), "tiny", cores=8, out=out, host_fallback=True)
    assert (out / "segment_00" / "mine.txt").exists()


def test_without_the_option_it_is_refused_as_before(tmp_path):
    with pytest.raises(CompileError, match="unsupported operators: GridSample"):
        compile(host_nets.sandwich(), "tiny", cores=8, out=tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("node", "outputs", "said"),
    [
        (helper.make_node("RandomNormalLike", ["x"], ["y"], "dice"), {"y": [2, 4]}, "draws random numbers"),
        (helper.make_node("NonZero", ["x"], ["p"], "places"), {"p": []}, "cannot leave the machine"),
        (helper.make_node("Strange", ["x"], ["y"], "odd", domain="my.own"), {"y": [2, 4]}, "not valid ONNX|'odd'"),
    ],
)
def test_what_nobody_can_run_is_refused_in_a_sentence(node, outputs, said, tmp_path):
    model = host_nets.model([node], {"x": [2, 4]}, {})
    kinds = {"p": 7}
    model.graph.output.extend(
        helper.make_tensor_value_info(name, kinds.get(name, 1), shape or [2, None]) for name, shape in outputs.items()
    )
    if node.domain:
        model.opset_import.append(helper.make_opsetid(node.domain, 1))
    with pytest.raises(CompileError, match=said):
        compile(model, "tiny", cores=4, out=tmp_path / "out", host_fallback=True)
    assert not list(tmp_path.iterdir())
