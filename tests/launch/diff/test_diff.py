"""`emu diff`: equal images, images that differ in form alone, and the first tensor, core and instruction otherwise."""

import json
import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result
from commands import DIGITS
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx_nets import Net, conv_nets

from emu.asm.assembler import assemble
from emu.asm.disassembler import disassemble
from emu.errors import CompileError, InputError
from launch.cli import cli
from launch.diff.report import compare_images, read_pair
from launch.images.compilation import compile_image
from launch.samples.inputs import seeded_inputs


def emu(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def made(model: object, folder: Path, out: str, **options: object) -> Path:
    file = folder / "net.onnx"
    onnx.save(model, file)
    compile_image(file, folder / out, golden="none", quiet=True, no_check=True, **options)
    return folder / out


def told(a: Path, b: Path, *options: object) -> dict:
    result = emu("diff", a, b, *options, "--json")
    values = json.loads(result.stdout)
    assert result.exit_code == values["exit_code"], result.output
    return values


def edited(out: Path, to: Path, pattern: str, by: str, core: int | None = None) -> Path:
    """The image with the first match in the text of its programs (from core `core` on) replaced."""
    disassemble(out, to.with_name("text"))
    source = to.with_name("text") / "chip.asm"
    text = source.read_text()
    start = text.index(f"core {core} {{") if core is not None else 0
    assert re.search(pattern, text[start:]), pattern
    source.write_text(text[:start] + re.sub(pattern, by, text[start:], count=1))
    assemble(source, to)
    return to


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("diff") / "digits"
    compile_image(DIGITS, out, golden="none", quiet=True, no_check=True)
    return out


@pytest.fixture(scope="module")
def packed(digits: Path) -> Path:
    out = digits.with_name("packed")
    compile_image(DIGITS, out, golden="none", quiet=True, no_check=True, placement="pack")
    return out


def test_an_image_is_equal_to_itself_and_to_what_is_assembled_from_its_text(digits: Path, tmp_path: Path) -> None:
    disassemble(digits, tmp_path / "text")
    assemble(tmp_path / "text" / "chip.asm", tmp_path / "again")
    for other in (digits, tmp_path / "again"):
        found = told(digits, other)
        assert found["programs_equal"] and found["values_equal"] and found["programs"] == []
        assert "are equal" in emu("diff", digits, other).stdout


def test_other_options_of_one_compiler_differ_in_programs_and_not_in_values(digits: Path, packed: Path) -> None:
    found = told(digits, packed, "--samples", 2)
    assert not found["programs_equal"] and found["values_equal"] and found["compared"] > 2 and found["samples"] == 2
    assert found["tensors"] == [] and "equal within the limits" in emu("diff", digits, packed).stdout


def test_a_wrong_instruction_is_named_in_both_with_line_and_node(digits: Path, packed: Path, tmp_path: Path) -> None:
    """The first use of a function is put in place of another: the tensor behind it is the first that differs."""
    wrong = edited(packed, tmp_path / "wrong", r"vrelu\.f32", "vabs.f32")
    found = told(digits, wrong)
    assert found["exit_code"] == 1 and not found["values_equal"]
    first, (a, b) = found["tensors"][0], found["writers"]
    assert first["a"] == 0 and first["b"] > 0 and first["elements"] <= first["of"]
    assert b["instruction"].startswith("vabs.f32") and a["instruction"].startswith("vrelu.f32")
    for out, writer in ((digits, a), (wrong, b)):
        lines = emu("export", "--to", "asm", out, "--core", writer["core"]).stdout.splitlines()
        assert lines[writer["line"] - 1].endswith(f"; main[{writer['index']}]")
        assert writer["instruction"] in lines[writer["line"] - 1]
    text = emu("diff", digits, wrong)
    assert text.exit_code == 1 and f"first tensor that differs: {first['tensor']} (node {first['node']})" in text.stdout


def test_a_wrong_weight_is_named_and_its_tensor(digits: Path, tmp_path: Path) -> None:
    disassemble(digits, tmp_path / "text")
    file = sorted((tmp_path / "text").glob("core_*_g0.npy"))[0]
    weights = np.load(file)
    weights[0, 0] += 100
    np.save(file, weights)
    assemble(tmp_path / "text" / "chip.asm", tmp_path / "wrong")
    found = told(digits, tmp_path / "wrong")
    assert [each["place"] for each in found["programs"]] == ["group 0, row 0, column 0"] and found["exit_code"] == 1
    assert "written by core" in emu("diff", digits, tmp_path / "wrong").stdout


def test_a_run_that_does_not_end_is_told(digits: Path, tmp_path: Path) -> None:
    wrong = edited(digits, tmp_path / "wrong", r"send .*\n", "\n")
    result = emu("diff", digits, wrong)
    assert result.exit_code == 1 and "error: B did not come to its end: " in result.stdout
    assert set(told(digits, wrong)["ends"]) == {"B"}


def test_images_of_other_networks_are_refused(digits: Path, tmp_path: Path) -> None:
    net = Net((1, 3))
    other = made(net.model(net.add("Relu", "x")), tmp_path, "out")
    result = emu("diff", digits, other)
    assert result.exit_code == 2 and "takes 'in0' float32" in result.stderr and "takes 'x' float32" in result.stderr
    assert emu("diff", digits, tmp_path).exit_code == 2


def test_images_without_a_name_in_common_are_refused(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "ab"]
    for folder, kind in zip(folders, ("Relu", "Abs"), strict=True):
        folder.mkdir()
        net = Net((1, 3))
        made(net.model(net.add(kind, "x")), folder, "out")
    with pytest.raises(InputError, match="no tensor or output of one name and shape"):
        compare_images(*(pair := read_pair(*(f / "out" for f in folders))), seeded_inputs(pair[0].manifest.inputs, 0))


def test_given_inputs_are_those_that_are_run(tmp_path: Path) -> None:
    """Of negative numbers alone two functions differ."""
    folders = []
    for kind in ("Relu", "Abs"):
        net = Net((1, 3))
        net.serial = 6
        net.nodes.append(onnx.helper.make_node(kind, ["x"], ["y"], name="n"))
        (tmp_path / kind).mkdir()
        folders.append(made(net.model("y"), tmp_path / kind, "out"))
    assert emu("diff", *folders, "--input", "x=1,2,3").exit_code == 0
    found = told(*folders, "--input", "x=1,-2,3")
    assert (found["tensors"][0]["index"], found["tensors"][0]["a"], found["tensors"][0]["b"]) == ([0, 1], 0, 2)
    assert told(*folders, "--input", "x=1,2,3,1,-2,3")["sample"] == 1


OPTIONS = st.fixed_dictionaries(
    {
        "placement": st.sampled_from(["frugal", "pack", "scatter"]),
        "packing": st.sampled_from(["dense", "kernel"]),
        "granularity": st.sampled_from(["image", "rows:1", "rows:2"]),
        "duplicate": st.sampled_from([None, "latency"]),
    }
)


@settings(max_examples=examples(8, 100))
@given(model=conv_nets(), options=OPTIONS)
def test_schedules_of_one_network_have_equal_values(tmp_path_factory, model, options) -> None:
    folder = tmp_path_factory.mktemp("net")
    try:
        images = read_pair(made(model, folder, "a"), made(model, folder, "b", **options))
    except CompileError:
        return
    report = compare_images(*images, seeded_inputs(images[0].manifest.inputs, 0, 1))
    assert not report.differing and not report.ends
    assert bool(report.compared) == bool(report.programs)
