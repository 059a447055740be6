"""Compiled images are found again, and only if all that they depend on is the same."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from commands import DIGITS
from onnx import TensorProto, helper, numpy_helper

import emu
from emu.arch.read import load_arch
from emu.errors import CompileError, InputError
from emu.output.temporary import MARK
from launch.images import cache_key as keys
from launch.images.cache import ImageCache, compile_or_find
from launch.images.cache_directory import MARKER, TAG, entries, remove_entry
from launch.images.cache_key import cache_key
from launch.images.compilation import compile_image
from launch.zoo import build

OPTIONS = {"arch": "small", "cores": 16, "golden": "none"}


@pytest.fixture
def small(tmp_path):
    onnx.save(build("mlp3"), tmp_path / "mlp3.onnx")
    return tmp_path / "mlp3.onnx"


def content(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_second_time_nothing_is_compiled(tmp_path):
    options = {"cores": 16, "samples": 2, "seed": 3}
    with ImageCache(tmp_path / "cache") as cache:
        made = compile_or_find(cache, DIGITS, tmp_path / "unused", quiet=True, **options)
    with ImageCache(tmp_path / "cache") as cache:
        found = compile_or_find(cache, DIGITS, tmp_path / "unused", quiet=True, **options)
    direct = compile_image(DIGITS, tmp_path / "direct", quiet=True, **options)
    assert (made.found, found.found, made.out) == (False, True, found.out)
    assert content(found.out) == content(tmp_path / "direct")
    assert made.line().rpartition(", ")[0] == found.line().rpartition(", ")[0]
    assert found.line().endswith(", check proved, cached") and made.line().endswith(" s")
    times = {"out", "seconds", "steps", "check"}
    assert {k: v for k, v in found.to_dict().items() if k not in times} == {
        k: v for k, v in direct.to_dict().items() if k not in times
    }
    assert not (tmp_path / "unused").exists()


def test_without_a_cache_it_compiles_where_it_is_told(tmp_path, small):
    made = compile_or_find(None, small, tmp_path / "out", quiet=True, **OPTIONS)
    assert made.out == tmp_path / "out" and not made.found and (made.out / "manifest.json").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"arch": "default"},
        {"cores": 17},
        {"cores": None},
        {"packing": "kernel"},
        {"placement": "pack"},
        {"granularity": "auto"},
        {"segments": True},
        {"products": "all"},
        {"lowering": "pixel"},
        {"duplicate": "greedy"},
        {"pipelined": True},
        {"stagger": True},
        {"remap_rows": True},
        {"shapes": (("x", (1, 2)),)},
        {"golden": "reference"},
        {"seed": 1},
        {"samples": 2},
        {"no_check": True},
        {"pipeline": "normalize-gemm"},
    ],
)
def test_every_option_counts(small, change):
    assert cache_key(small, **OPTIONS) != cache_key(small, **{**OPTIONS, **change})


def test_what_an_architecture_says_counts_not_how_it_is_named(tmp_path, small):
    chip = tmp_path / "chip.toml"
    chip.write_text('[chip]\nname = "tiny"\n')
    before = cache_key(small, arch=str(chip))
    chip.write_text('[chip]\nname = "tiny"\n# a remark\n')
    assert cache_key(small, arch=str(chip)) == before == cache_key(small, arch=load_arch(str(chip)))
    chip.write_text('[chip]\nname = "tiny"\n[core]\nevents = 31\n')
    assert cache_key(small, arch=str(chip)) != before


def test_the_order_of_shapes_does_not_count(small):
    one, other = ("a", (1, 2)), ("b", (3,))
    assert cache_key(small, shapes=(one, other)) == cache_key(small, shapes=(other, one))


def test_external_data_counts(tmp_path):
    path, data = tmp_path / "external.onnx", tmp_path / "weights" / "w.bin"
    data.parent.mkdir()
    weights = np.arange(12, dtype=np.float32).reshape(4, 3)
    data.write_bytes(weights.tobytes())
    tensor = numpy_helper.from_array(weights, "w")
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for name, value in {"location": "weights/w.bin", "offset": "0", "length": str(weights.nbytes)}.items():
        tensor.external_data.add(key=name, value=value)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3])
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "net", [x], [y], [tensor])
    path.write_bytes(helper.make_model(graph).SerializeToString())
    with ImageCache(tmp_path / "cache") as cache:
        first = compile_or_find(cache, path, tmp_path / "unused", quiet=True, **OPTIONS)
        data.write_bytes((weights + 1).tobytes())
        second = compile_or_find(cache, path, tmp_path / "unused", quiet=True, **OPTIONS)
    assert first.out != second.out and not second.found
    data.unlink()
    with pytest.raises(CompileError, match=r"needs the external file 'weights/w\.bin', which is missing"):
        cache_key(path)


def test_sources_count(tmp_path, monkeypatch):
    for house in keys.HOUSES:
        (tmp_path / house / "__pycache__").mkdir(parents=True)
        (tmp_path / house / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(emu, "__file__", str(tmp_path / "emu" / "__init__.py"))
    before = keys.source_digest.__wrapped__()
    (tmp_path / "compiler" / "__pycache__" / "a.pyc").write_bytes(b"1")
    assert keys.source_digest.__wrapped__() == before
    (tmp_path / "compiler" / "a.py").write_text("x = 2\n")
    assert keys.source_digest.__wrapped__() != before


def test_own_passes_count(tmp_path, monkeypatch, small):
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "passes_of_ours.py"
    own.write_text("class A: ...\n")
    before = cache_key(small, pipeline="normalize-gemm,passes_of_ours:A")
    own.write_text("class A: pass\n")
    assert cache_key(small, pipeline="normalize-gemm,passes_of_ours:A") != before
    assert set(keys.own_passes("a{b=1},passes_of_ours:A,no.such:B")) == {"passes_of_ours"}


def write_other_json(entry):
    (entry / "entry.json").write_text("[]")


def cut_the_manifest(entry):
    path = entry / "image" / "manifest.json"
    path.write_bytes(path.read_bytes()[:-9])


def flip_weights(entry):
    path = next((entry / "image").glob("*.xbar"))
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)


def lose_a_program(entry):
    next((entry / "image").glob("*.prog")).unlink()


def exchange_the_numbers(entry):
    path = entry / "entry.json"
    path.write_text(path.read_text().replace('"instructions": ', '"instructions": 1'))


def lose_all_but_the_folder(entry):
    for path in (*(entry / "image").iterdir(), entry / "entry.json"):
        path.unlink()


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "damage",
    [
        write_other_json,
        cut_the_manifest,
        flip_weights,
        lose_a_program,
        exchange_the_numbers,
        lose_all_but_the_folder,
    ],
)
def test_a_damaged_entry_is_told_and_made_again(tmp_path, small, damage):
    told = []
    with ImageCache(tmp_path / "cache", told.append) as cache:
        made = compile_or_find(cache, small, tmp_path / "unused", quiet=True, **OPTIONS)
        whole = content(made.out)
        damage(made.out.parent)
        again = compile_or_find(cache, small, tmp_path / "unused", quiet=True, **OPTIONS)
        assert not again.found and content(again.out) == whole
        assert "emu import --seal" not in told[0]
        assert len(told) == 1 and "is damaged, compiled again: " in told[0] and str(made.out.parent) in told[0]
        assert compile_or_find(cache, small, tmp_path / "unused", quiet=True, **OPTIONS).found
    assert len(told) == 1 and len(entries(cache.directory)) == 1


def test_what_fails_leaves_nothing(tmp_path, small):
    with ImageCache(tmp_path / "cache") as cache, pytest.raises(InputError, match="x"):
        compile_or_find(cache, small, tmp_path / "unused", quiet=True, **OPTIONS, shapes=(("x", (5,)),))
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == [TAG, MARKER]


def test_a_directory_of_others_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match=r"holds 'thesis.tex' and is no cache of emu: name a new or an empty"):
        ImageCache(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(InputError, match="cannot be written"):
        ImageCache(tmp_path / "thesis.tex")


def test_half_of_a_cache_becomes_one(tmp_path):
    (tmp_path / TAG).write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    assert ImageCache(tmp_path).directory == tmp_path
    (tmp_path / "notes.txt").write_text("ours by now, with a file of theirs, which stays")
    assert ImageCache(tmp_path).directory == tmp_path
    assert (tmp_path / TAG).read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_what_is_used_is_not_removed(tmp_path, small):
    with ImageCache(tmp_path / "cache") as cache:
        made = compile_or_find(cache, small, tmp_path / "unused", quiet=True, **OPTIONS)
        (entry,) = entries(cache.directory)
        assert entry == made.out.parent and not remove_entry(entry)
    assert remove_entry(entry) and not entries(cache.directory)
    assert sorted(path.name for path in cache.directory.iterdir()) == [TAG, MARKER]


def test_sentences_name_the_model_where_it_is_now(tmp_path):
    model = build("mlp3")
    weights = next(tensor for tensor in model.graph.initializer if len(tensor.dims) == 2)
    array = numpy_helper.to_array(weights).copy()
    array[0, 0] = np.nan
    weights.CopyFrom(numpy_helper.from_array(array, weights.name))
    here, there = tmp_path / "here" / "net.onnx", tmp_path / "there" / "net.onnx"
    for path in (here, there):
        path.parent.mkdir()
        onnx.save(model, path)
    with ImageCache(tmp_path / "cache") as cache:
        made, found = (compile_or_find(cache, path, tmp_path / "x", quiet=True, **OPTIONS) for path in (here, there))
    assert found.found and made.warnings[0].startswith(f"{here}: ")
    assert found.warnings == tuple(text.replace(str(here), str(there)) for text in made.warnings)


SCRIPT = """
import sys
from pathlib import Path
from launch.images.cache import ImageCache, compile_or_find
with ImageCache(Path(sys.argv[1])) as cache:
    options = {"arch": "small", "cores": 16, "golden": "none"}
    print(compile_or_find(cache, Path(sys.argv[2]), Path("unused"), quiet=True, **options).out)
"""


@pytest.mark.full
def test_two_processes_make_the_same_entry_at_once(tmp_path, small):
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "cache"), str(small)]
    root = Path(__file__).parents[3]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root) for _ in range(3)]
    ends = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], ends
    (entry,) = entries(tmp_path / "cache")
    assert {out.decode().strip() for out, _ in ends} == {str(entry / "image")}
    assert not [path for path in (tmp_path / "cache").iterdir() if MARK in path.name]
    compile_image(small, tmp_path / "direct", quiet=True, **OPTIONS)
    assert content(entry / "image") == content(tmp_path / "direct")
