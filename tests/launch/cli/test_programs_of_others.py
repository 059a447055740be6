"""--model, --keep and --bisect of programs that were exported and imported again, assembled, or written by hand."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from commands import DIGITS, Emu
from onnx import TensorProto, helper

from emu.image.npz import read_npz

INPUT = "in0"


def made(emu: Emu, *arguments: object) -> str:
    result = emu(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory, digits_image: Path) -> Path:
    """The example network as PIM-ISA."""
    from click.testing import CliRunner

    from launch.cli import cli

    out = tmp_path_factory.mktemp("exported") / "pimsim"
    result = CliRunner().invoke(cli, ["export", str(digits_image), "-o", str(out)])
    assert result.exit_code == 0, result.output
    return out


def kept(emu: Emu, image: Path, path: Path, *more: object) -> dict[str, np.ndarray]:
    """All that an image makes, by name."""
    made(emu, "launch", image, "--sequential", "--golden", "none", "--keep", "all", "--save", path, *more)
    return read_npz(path)


@pytest.mark.parametrize("option", [(), ("--no-roll",)])
def test_what_is_exported_and_imported_again_keeps_its_tensors(
    emu: Emu, digits_image: Path, exported: Path, tmp_path: Path, option: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    made(emu, "import", exported / "program.json", "-o", out, *option)
    wanted = kept(emu, digits_image, tmp_path / "a.npz")
    inputs = tmp_path / "x.npz"
    np.savez(inputs, **read_npz(digits_image / "inputs.npz"))
    found = kept(emu, out, tmp_path / "b.npz", "--input", inputs)
    assert found.keys() == wanted.keys() and len(wanted) > 4
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
    report = json.loads(made(emu, "launch", out, "--sequential", "--model", DIGITS, "--keep", "all", "--json"))
    assert {tensor["name"] for tensor in report["kept"]["tensors"]} == wanted.keys()
    assert {tensor["node"] for tensor in report["kept"]["tensors"]} >= {"node_relu"}
    assert report["kept"]["passed"] and report["verdict"]["passed"]


def test_a_second_export_tells_the_same_of_the_network(emu: Emu, exported: Path, tmp_path: Path) -> None:
    made(emu, "import", exported / "program.json", "-o", tmp_path / "first")
    made(emu, "export", tmp_path / "first", "-o", tmp_path / "again", "--to", "pim")
    assert (tmp_path / "again" / "source_map.json").read_bytes() == (exported / "source_map.json").read_bytes()
    made(emu, "import", tmp_path / "again", "-o", tmp_path / "second")
    made(emu, "launch", tmp_path / "second", "--sequential", "--model", DIGITS, "--keep", "node_relu")


def test_bisect_finds_an_edited_instruction_of_an_imported_program(emu: Emu, exported: Path, tmp_path: Path) -> None:
    made(emu, "import", exported / "program.json", "-o", tmp_path / "out")
    made(emu, "export", "--to", "asm", tmp_path / "out", "-o", tmp_path / "text")
    path = tmp_path / "text" / "chip.asm"
    lines = path.read_text().splitlines()
    places = [place for place, line in enumerate(lines) if line.lstrip().startswith("vrelu.")]
    lines[places[0]] = lines[places[0]].replace("vrelu.", "vneg.")
    path.write_text("\n".join(lines) + "\n")
    made(emu, "import", tmp_path / "text", "-o", tmp_path / "edited")
    arguments = ["launch", tmp_path / "edited", "--sequential", "--model", DIGITS, "--bisect", "--json"]
    found = emu(*arguments)
    report = json.loads(found.stdout)
    assert found.exit_code == 1 and report["bisect"]["node"] in ("node_relu", "node_Conv_36")


def test_a_file_of_another_program_is_refused(emu: Emu, exported: Path, tmp_path: Path) -> None:
    record = json.loads((exported / "source_map.json").read_text())
    core = next(core for core in record["cores"].values() if core["buffers"])
    for place, words in ((10**9, "the file of the network is of another program"), (-1, "source_map.json")):
        core["buffers"][0]["complete"] = place
        folder = tmp_path / str(place)
        folder.mkdir()
        for path in exported.iterdir():
            (folder / path.name).symlink_to(path)
        (folder / "source_map.json").unlink()
        (folder / "source_map.json").write_text(json.dumps(record))
        refused = emu("import", folder / "program.json", "-o", tmp_path / "out")
        assert refused.exit_code == 2 and words in refused.stderr


HAND = """\
arch tiny
global 64
input "x" f32[4] layout C { channels 0:4 at 0x00 }
output "y" f32[4] layout C { channels 0:4 at 0x10 }

core 0 {
  main {
    ld l[0x00], g[0x00], 16
    vneg.f32 l[0x10], l[0x00], 4
    vrelu.f32 l[0x20], l[0x10], 4
    st g[0x10], l[0x20], 16
  }
}
"""


def network(path: Path, middle: str = "Neg", name: str = "y") -> Path:
    """x -> Neg -> Relu -> y."""
    made_of = [helper.make_node(middle, ["x"], ["n"], "first"), helper.make_node("Relu", ["n"], [name], "last")]
    ends = [helper.make_tensor_value_info(each, TensorProto.FLOAT, [4]) for each in ("x", name)]
    graph = helper.make_graph(made_of, "g", ends[:1], ends[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), str(path))
    return path


def test_programs_written_by_hand_are_compared_with_a_model_whose_names_fit(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "a.asm").write_text(HAND)
    out = tmp_path / "out"
    made(emu, "import", tmp_path / "a.asm", "-o", out)
    assert made(emu, "launch", out, "--sequential").splitlines()[-1].startswith("not compared: ")
    right = network(tmp_path / "right.onnx")
    assert "PASS  y: " in made(emu, "launch", out, "--sequential", "--model", right, "--bisect")
    wrong = emu("launch", out, "--sequential", "--model", network(tmp_path / "abs.onnx", "Abs"), "--bisect")
    assert wrong.exit_code == 1 and "FAIL  y: " in wrong.stdout
    other = emu("launch", out, "--sequential", "--model", network(tmp_path / "z.onnx", name="z"))
    assert other.exit_code == 2 and "no tensor of the name of output 'y'" in other.stderr


def test_random_inputs_are_told_with_their_seed(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    (tmp_path / "a.asm").write_text(HAND)
    made(emu, "import", tmp_path / "a.asm", "-o", tmp_path / "out")
    told = "inputs are random, of seed 0 (--input gives others)"
    assert told in made(emu, "launch", tmp_path / "out", "--sequential").splitlines()
    other = made(emu, "launch", tmp_path / "out", "--sequential", "--seed", 7).splitlines()
    assert told.replace("seed 0", "seed 7") in other
    for arguments in ((tmp_path / "out", "--input", "x=1,2,3,4"), (digits_image,)):
        assert "inputs are random" not in made(emu, "launch", "--sequential", *arguments)


def test_a_network_is_not_launched_but_refused_with_the_command_that_compiles_it(emu: Emu) -> None:
    refused = emu("launch", DIGITS)
    out = f"out/{DIGITS.stem}"
    assert refused.exit_code == 2 and f"`emu compile {DIGITS} -o {out}`, then `emu launch {out}`" in refused.stderr
