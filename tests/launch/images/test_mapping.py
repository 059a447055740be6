"""Where the nodes of an image run: counted in the programs, equal to what the model's shapes say."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import make_model, one_node, random_array

from compiler.codegen.gathers import gathers
from emu.asm.assembler import assemble
from emu.census.census import census_of_image
from emu.image.reader import open_image
from launch import zoo
from launch.images.compilation import CompileReport, compile_image, mapping_of
from launch.images.mapping import CROSSBAR, DIGITAL, MOVES, VECTOR, map_nodes
from launch.papers.on_chips.multiplications import macs_by_node

ASM = """arch tiny
input "x" f32[1, 64] at 0x000
output "y" f32[1, 64] at 0x100
core 0 {
  main {
    @ "load" ""
    ld l[0x000], g[0x000], 256
    @ "product/part" "scores"
    loop i0 3 {
      mmul.f32.f32.f32 l[0x100], l[0x000], l[0x080], 2, 4, 3
    }
    @ "dot" ""
    vvdmul.f32 l[0x200], l[0x000], l[0x100], 8
    @ "store" ""
    st g[0x100], l[0x000], 256
    halt
  }
}
"""


def compiled(model: onnx.ModelProto, folder: Path, **options: object) -> CompileReport:
    """The model as an image."""
    onnx.save(model, folder / "net.onnx")
    return compile_image(folder / "net.onnx", folder / "out", golden="none", quiet=True, no_check=True, **options)


@pytest.mark.parametrize("granularity", ["image", "rows:1"])
def test_lenet(tmp_path: Path, granularity: str) -> None:
    model = zoo.build("lenet5")
    report = mapping_of(compiled(model, tmp_path, cores=8, granularity=granularity))
    nodes = {node.node: node for node in report.nodes}
    wanted = macs_by_node(model)
    assert {name: node.macs for name, node in nodes.items() if node.macs} == wanted
    assert {name for name, node in nodes.items() if node.where == CROSSBAR} == set(wanted)
    assert report.macs == sum(wanted.values()) and (report.crossbar_sites, report.digital_sites) == (5, 0)
    assert (nodes["conv1"].kind, nodes["pool1"].kind, nodes["pool1"].where) == ("Conv", "AveragePool", VECTOR)
    assert nodes["flatten"].where == "" and "no data of its own" in nodes["flatten"].note
    assert [node.node for node in report.nodes][:3] == ["conv1", "tanh1", "pool1"]
    assert report.bytes == sum(node.bytes for node in report.nodes) > 0
    assert report.crossbars == sum(node.crossbars for node in report.nodes) == 9
    assert 0 < report.cells < 1 and 0 < report.balance < 1 and report.warnings == ()


def test_products_of_two_results_are_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "a.asm").write_text(ASM)
    assemble(tmp_path / "a.asm", tmp_path / "a")
    image = open_image(tmp_path / "a")
    report = map_nodes(image.manifest, census_of_image(image), {"product/part": "MatMul"})
    nodes = {node.node: node for node in report.nodes}
    assert (nodes["product/part"].where, nodes["product/part"].macs) == (DIGITAL, 3 * 2 * 4 * 3)
    assert (nodes["dot"].where, nodes["dot"].macs) == (VECTOR, 8)
    assert nodes["load"].where == nodes["store"].where == MOVES
    assert (report.macs, report.crossbar_sites, report.digital_sites) == (80, 0, 1)
    assert (report.cores, report.crossbars, report.balance) == (1, 0, 1.0)


def test_nothing_is_balanced_where_nothing_multiplies(tmp_path: Path) -> None:
    report = mapping_of(compiled(make_model([helper.make_node("Relu", ["x"], ["y"], "act")], {"x": (1, 4)}), tmp_path))
    assert (report.macs, report.balance) == (0, None)


def test_parts_of_a_node_belong_to_it(tmp_path: Path) -> None:
    node = helper.make_node("Sum", ["x", "w", "v"], ["y"], "total")
    weights = {"w": random_array(6), "v": random_array(4, 1, 1)}
    report = mapping_of(compiled(make_model([node], {"x": (1, 4, 6, 6)}, weights=weights), tmp_path, cores=2))
    assert [each.kind for each in report.nodes if each.node == "total"] == ["Sum"]
    assert not any("/" in each.node for each in report.nodes)


def test_zeros_of_grouped_convolutions_are_multiplied(tmp_path: Path) -> None:
    model = one_node("Conv", (1, 4, 6, 6), random_array(4, 1, 3, 3), pads=[1] * 4, group=4)
    (node,) = (node for node in mapping_of(compiled(model, tmp_path, cores=2)).nodes if node.kind)
    assert node.macs >= 4 * 36 * 9 and node.where == CROSSBAR


def test_large_tensors_that_one_core_gathers_are_told(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], "conv"),
        helper.make_node("Softmax", ["a"], ["y"], "softmax", axis=1),
    ]
    weights = {"w": random_array(300, 2, 1, 1)}
    model = make_model(nodes, {"x": (1, 2, 30, 30)}, weights=weights)
    report = compiled(model, tmp_path, cores=8)
    found = gathers(report.result.module, large=1000)
    runs = {node.node: node.cores for node in mapping_of(report).nodes}
    split = len(runs["softmax"]) > 1  # a compiler that spreads the node gathers nothing
    assert [gather.node for gather in found] == ([] if split else ["softmax"])
    for gather in found:
        assert (gather.core,) == runs["softmax"] and gather.sources == len(runs["conv"]) - 1
        assert gather.nbytes < 300 * 900 * 4
        assert f"on core {gather.core}, the only one that works on them" in gather.warning()
    assert gathers(report.result.module, large=np.iinfo(np.int64).max) == []
