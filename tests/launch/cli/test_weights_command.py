"""`emu info` tells where weights stand: by node, by core, by crossbar and by cell."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from commands import DIGITS, Emu
from host_nets import nothing_for_cores, sandwich
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper
from onnx_models import make_model, one_node, random_array

from emu.image.reader import open_image
from launch.images.index_ranges import indices_text, row_runs
from launch.images.weights_map import WeightsMap

PAGE = (Path(__file__).parents[3] / "docs" / "json.md").read_text().partition("## emu info")[2].partition("\n## ")[0]
SMALL = """[crossbar]
rows = 16
cols = 8
cell_bits = 2
[core]
crossbars = 4096
"""


def told(emu: Emu, *arguments: object) -> dict[str, list[dict[str, object]]]:
    """What --json says."""
    result = emu("info", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["weights"]


def digits_weights() -> dict[str, np.ndarray]:
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(DIGITS).graph.initializer}


def test_every_weight_of_a_network_is_found_by_its_node_and_by_its_crossbar(emu: Emu, digits_image: Path) -> None:
    arrays = digits_weights()
    nodes = [node.name for node in onnx.load(DIGITS).graph.node if node.op_type in ("Conv", "Gemm", "MatMul")]
    found = told(emu, digits_image, *(word for name in nodes for word in ("--node", name)))["nodes"]
    assert [entry["node"] for entry in found] == nodes
    for entry in found:
        groups = entry["groups"]
        assert groups and {group["core"] for group in groups} <= set(entry["cores"])
        names = [f"{group['core']}:{group['group']}" for group in groups]
        crossbars = told(emu, digits_image, *(word for name in names for word in ("--crossbar", name)))["crossbars"]
        (tensor,) = {group["tensor"] for group in crossbars}
        held = [np.add.outer(group["row_elements"], group["column_elements"]) for group in crossbars]
        assert sorted(np.concatenate([part.reshape(-1) for part in held]).tolist()) == list(range(arrays[tensor].size))
        image = open_image(digits_image)
        for group, elements in zip(crossbars, held, strict=True):
            weights = image.weights(group["core"])[group["group"]][:, : group["columns"]]
            assert np.array_equal(weights, arrays[tensor].reshape(-1)[elements])
            assert group["elements"] == elements.size


@given(data=st.data())
def test_nodes_cores_crossbars_and_cells_agree(digits_image: Path, data: st.DataObject) -> None:
    """From any core to one of its cells and back: each side names the same groups, nodes, element and value."""
    image = open_image(digits_image)
    weights_map, arrays = WeightsMap(image), digits_weights()
    core = data.draw(st.sampled_from(sorted(image.cores)))
    for node in weights_map.nodes_of(core):
        cores, groups = weights_map.node(node)
        assert core in cores
        assert [use for use in groups if use.core == core] == weights_map.groups_of(core, node)
    groups = weights_map.groups_of(core)
    assert groups == [weights_map.group(core, use.group) for use in groups]
    for use in groups:
        assert use.node in weights_map.nodes_of(core) and use in weights_map.node(use.node)[1]
        row, column = (data.draw(st.integers(0, size - 1)) for size in (use.rows, use.columns))
        cell, held = weights_map.cell(core, use.group, row, column), weights_map.cells(core)[use.group]
        assert cell.element is not None and arrays[use.tensor][cell.element] == np.float32(cell.value)
        assert held.element(row, column) == np.ravel_multi_index(cell.element, use.shape)
        (array,) = [a for a in use.arrays if row in range(*a.rows) and column in range(*a.columns)]
        assert (array.row_tile, array.column_tile) == cell.array


def test_an_element(emu: Emu, digits_image: Path) -> None:
    node, tensor = "node_Conv_38", "c2.weight"
    array = digits_weights()[tensor]
    for element in ((0, 0, 0, 0), (5, 3, 2, 1), tuple(size - 1 for size in array.shape)):
        text = ",".join(map(str, element))
        (cell,) = told(emu, digits_image, "--node", node, "--element", text)["nodes"][0]["cells"]
        assert (tuple(cell["element"]), cell["tensor"]) == (element, tensor)
        assert array[element] == np.float32(cell["value"])
        place = f"{cell['core']}:{cell['group']}", f"{cell['row']},{cell['column']}"
        (back,) = told(emu, digits_image, "--crossbar", place[0], "--cell", place[1])["crossbars"]
        assert tuple(back["cell"]["element"]) == element
        line = emu("info", digits_image, "--node", node, "--element", text).stdout
        assert line.startswith(f"crossbar {place[0]}, row {cell['row']}, ") and f"{tensor}[{element[0]}, " in line


def test_the_fields_are_those_of_the_page(emu: Emu, digits_image: Path) -> None:
    found = told(emu, digits_image, "--node", onnx.load(DIGITS).graph.node[0].name, "--core", "1", "--crossbar", "1:0")
    names = {*found, "cells"}
    for entry in (part for parts in found.values() for part in parts):
        names |= set(entry)
        for inner in ("groups", "memory", "arrays", "runs"):
            names |= {name for part in entry.get(inner, []) for name in part}
    assert all(f"`{name}`" in PAGE for name in names), [name for name in names if f"`{name}`" not in PAGE]


@pytest.fixture
def sliced(tmp_path: Path, emu: Emu) -> Path:
    """A depthwise convolution of int8 and a Relu, on small crossbars of cells of two bits."""
    w = np.random.default_rng(0).integers(-90, 90, (6, 1, 2, 2)).astype(np.int8)
    model = one_node("ConvInteger", (1, 6, 4, 4), w, dtype=onnx.TensorProto.INT8, group=6, name="depth")
    model.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.INT32
    onnx.save(model, tmp_path / "net.onnx")
    (tmp_path / "chip.toml").write_text(SMALL)
    result = emu("compile", tmp_path / "net.onnx", "-o", tmp_path / "out", "--arch", tmp_path / "chip.toml")
    assert result.exit_code == 0, result.output
    return tmp_path / "out"


def test_slices_and_blocks_are_told(emu: Emu, sliced: Path) -> None:
    (node,) = told(emu, sliced, "--node", "depth")["nodes"]
    assert sum(group["elements"] for group in node["groups"]) == 6 * 4
    assert {group["slices"] for group in node["groups"]} == {open_image(sliced).arch.slices(8)}
    name = f"{node['groups'][0]['core']}:{node['groups'][0]['group']}"
    text = emu("info", sliced, "--crossbar", name).stdout
    assert "each weight is spread over 4 arrays, 2 bits" in text and "block-diagonal, 4 blocks of 1 channel" in text
    rows = [row for run in told(emu, sliced, "--crossbar", name)["crossbars"][0]["runs"] for row in range(*run["rows"])]
    assert rows == list(range(16)) and "w0[2, 0, 1, 1]" in text
    cells = [told(emu, sliced, "--node", "depth", "--element", f"{k},0,1,1")["nodes"][0]["cells"] for k in range(6)]
    assert all(len(found) == 1 and found[0]["element"] == [k, 0, 1, 1] for k, found in enumerate(cells))
    assert "no element of a tensor, value 0" in emu("info", sliced, "--crossbar", name, "--cell", "0,1").stdout


def test_nodes_without_weights(emu: Emu, tmp_path: Path) -> None:
    nodes = [onnx.helper.make_node("Gemm", ["x", "w"], ["a"], "product")]
    nodes.append(onnx.helper.make_node("Relu", ["a"], ["b"], "act"))
    nodes.append(onnx.helper.make_node("Softmax", ["b"], ["y"], "soft"))
    onnx.save(make_model(nodes, {"x": (1, 4)}, weights={"w": random_array(4, 5)}), tmp_path / "net.onnx")
    assert emu("compile", tmp_path / "net.onnx", "-o", tmp_path / "out").exit_code == 0
    text = emu("info", tmp_path / "out", "--node", "act", "--node", "soft", "--node", "w").stdout
    assert "act: no weights on crossbars, on no core: part of another node" in text
    assert "soft: no weights on crossbars, on core" in text
    assert "w: 1 array group, 20 elements of weights, on core 0" in text


def test_segments_are_named(emu: Emu, tmp_path: Path) -> None:
    onnx.save(sandwich(), tmp_path / "net.onnx")
    compiled = emu("compile", tmp_path / "net.onnx", "-o", tmp_path / "out", "--host-fallback")
    assert compiled.exit_code == 0, compiled.output
    folders = [s.file for s in open_image(tmp_path / "out").manifest.segments if not s.on_host]
    found = told(emu, tmp_path / "out", "--core", "0")["cores"]
    assert [entry["segment"] for entry in found] == folders
    assert folders[0] in emu("info", tmp_path / "out", "--core", "0").stdout
    onnx.save(nothing_for_cores(), tmp_path / "net.onnx")
    assert emu("compile", tmp_path / "net.onnx", "-o", tmp_path / "host", "--host-fallback").exit_code == 0
    refused = emu("info", tmp_path / "host", "--core", "0")
    assert refused.exit_code == 2 and "core 0 holds no program: no core does" in refused.stderr


def test_an_image_without_the_map_is_refused(emu: Emu, own_image: Path) -> None:
    manifest = own_image / "manifest.json"
    record = json.loads(manifest.read_text())
    del record["crossbars"]
    manifest.write_text(json.dumps(record))
    result = emu("info", own_image, "--crossbar", "1:0")
    assert result.exit_code == 2 and "compile the network again" in result.stderr
    assert emu("info", own_image).exit_code == 0
    record["crossbars"] = {"nodes": ["n"], "tensors": [], "cores": [{"core": 1, "groups": ["0 0 5 5"]}]}
    manifest.write_text(json.dumps(record))
    result = emu("info", own_image, "--crossbar", "1:0")
    assert result.exit_code == 2 and "crossbars: core 1, group 0" in result.stderr
    assert "Traceback" not in result.stderr


def test_index_ranges() -> None:
    from emu.image.cells import Cells

    assert indices_text("w", [np.arange(3), np.array([5]), np.array([0, 2, 4]), np.array([0, 1, 5])]) == (
        "w[0:3, 5, 0:5:2, 0|1|5]"
    )
    assert indices_text("w", [np.array([0, 1, 5, 6, 9])]) == "w[5 in 0:10]"
    # 7 of the 3 x 3 positions of a kernel: two whole rows of it, and one position.
    cells = Cells("n", "w", (2, 1, 3, 3), np.arange(7), np.array([0, 9]))
    assert list(row_runs(cells)) == [(0, 3), (3, 6), (6, 7)]
    assert list(row_runs(Cells("n", "w", (2, 1, 3, 3), np.arange(9), np.array([0, 9])))) == [(0, 9)]
