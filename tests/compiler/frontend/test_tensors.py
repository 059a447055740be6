"""External data is read as views, from beside the model only."""

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_export import evaluate_module, run_onnx
from onnx_models import one_node, random_array

from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from emu.errors import CompileError
from emu.files import map_file

WEIGHTS = random_array(64, 32)


def save_external(folder: Path, location: str = "weights.bin") -> Path:
    path = folder / "model.onnx"
    model = one_node("MatMul", (1, 64), WEIGHTS)
    onnx.save(model, path, save_as_external_data=True, location=location, size_threshold=0)
    return path


def with_entries(path: Path, **entries: str) -> Path:
    """Rewrite the entries of the initialiser's external data."""
    model = onnx.load(path, load_external_data=False)
    tensor = model.graph.initializer[0]
    for entry in tensor.external_data:
        entry.value = entries.pop(entry.key, entry.value)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    path.write_bytes(model.SerializeToString())
    return path


def test_external_weights_are_used(tmp_path):
    context = make_context()
    x = random_array(1, 64, seed=1)
    module = import_model(save_external(tmp_path), context).module
    assert not context.weights.get("w0").flags.owndata
    np.testing.assert_array_equal(context.weights.get("w0"), WEIGHTS)
    np.testing.assert_array_equal(
        evaluate_module(module, context, {"x": x})[0], run_onnx(one_node("MatMul", (1, 64), WEIGHTS), {"x": x})[0]
    )


@pytest.mark.parametrize("location", ["../secret.bin", "/etc/passwd", "", "a/../../secret.bin", "weights.bin\0"])
def test_paths_out_of_the_folder_are_refused(tmp_path, location):
    (tmp_path / "secret.bin").write_bytes(bytes(1 << 14))
    inner = tmp_path / "inner"
    inner.mkdir()
    path = with_entries(save_external(inner), location=location)
    with pytest.raises(CompileError, match="outside the folder of the model"):
        import_model(path, make_context())


def test_links_out_of_the_folder_are_refused(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    path = save_external(inner)
    (inner / "weights.bin").rename(tmp_path / "elsewhere.bin")
    (inner / "weights.bin").symlink_to(tmp_path / "elsewhere.bin")
    with pytest.raises(CompileError, match="outside the folder"):
        import_model(path, make_context())


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"offset": "100"}, "is incomplete"),
        ({"offset": "-4"}, "is incomplete"),
        ({"length": "99999999999999"}, "is incomplete"),
        ({"length": "12"}, "12 bytes of data: the file is damaged"),
        ({"offset": "many"}, "cannot read external data"),
        ({"location": "other.bin"}, "is missing beside the model"),
    ],
)
def test_wrong_entries_are_refused(tmp_path, entries, message):
    path = with_entries(save_external(tmp_path), **entries)
    with pytest.raises(CompileError, match=message):
        import_model(path, make_context())


def test_objects_with_external_data_are_refused(tmp_path):
    model = onnx.load(save_external(tmp_path), load_external_data=False)
    with pytest.raises(CompileError, match="give the model by its path"):
        import_model(model, make_context())


@pytest.mark.parametrize("location", ["x" * 5000, "x" * 300, "a/" * 3000 + "b"])
def test_over_long_names_are_shortened(tmp_path, location):
    path = with_entries(save_external(tmp_path), location=location)
    with pytest.raises(CompileError, match="initialiser 'w0'") as error:
        import_model(path, make_context())
    assert len(str(error.value)) < 600


@pytest.mark.parametrize(("make", "words"), [(os.mkfifo, "is a FIFO"), (Path.mkdir, "is a directory")])
def test_external_data_is_a_regular_file(tmp_path, make, words):
    path = with_entries(save_external(tmp_path), location="strange")
    make(tmp_path / "strange")
    with pytest.raises(CompileError, match=f"strange {words}"):
        import_model(path, make_context())


def test_a_file_of_many_tensors_is_mapped_once(tmp_path, monkeypatch):
    model = one_node("Gemm", (1, 64), WEIGHTS, random_array(32))
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    mapped = []
    monkeypatch.setattr(
        "compiler.frontend.tensors.map_file", lambda path, *a: mapped.append(path) or map_file(path, *a)
    )
    import_model(tmp_path / "m.onnx", make_context())
    assert [path.name for path in mapped] == ["weights.bin"]
