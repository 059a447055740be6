"""`emu compile`: what it writes and prints, stages as text, refusals."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from commands import DIGITS, Emu
from onnx_nets import Net

from emu.image.npz import read_npz
from emu.image.reader import open_image


def test_image_has_inputs_and_golden(emu: Emu, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "digits"
    result = emu("compile", DIGITS, "-o", out, "--arch", "tiny", "--cores", 64, "--seed", 3, "--samples", 2)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(
        f"digits_cnn.onnx -> {out}: 55 cores, 55 crossbars (25.0% of what these cores have), "
    )
    assert "golden onnxruntime " in result.stdout
    assert "check proved, " in result.stdout
    image = open_image(out)
    assert read_npz(out / image.manifest.default_input)["in0"].shape == (2, 1, 1, 8, 8)
    assert read_npz(out / image.manifest.golden)["out0"].shape == (2, 1, 10)
    assert image.manifest.golden_source.startswith("onnxruntime ")


def test_seed_and_source_of_golden(emu: Emu, tmp_path: Path) -> None:
    for name, options in {"a": ["--golden", "numpy"], "b": ["--seed", 1, "--golden", "none"]}.items():
        assert emu("compile", DIGITS, "-o", tmp_path / name, "--cores", 8, *options).exit_code == 0
    first, second = open_image(tmp_path / "a"), open_image(tmp_path / "b")
    assert first.manifest.golden_source.startswith("onnx.reference ")
    assert (second.manifest.golden, second.golden()) == ("", None)
    assert not np.array_equal(first.default_inputs()["in0"], second.default_inputs()["in0"])


def test_report(emu: Emu, tmp_path: Path) -> None:
    result = emu("compile", DIGITS, "-o", tmp_path / "a", "--cores", 8, "--golden", "none", "--report")
    assert result.exit_code == 0
    assert "where the nodes run" in result.stdout and " crossbar " in result.stdout and " Conv " in result.stdout
    assert "products on crossbars, 0 of two results; " in result.stdout
    report = json.loads(
        emu("compile", DIGITS, "-o", tmp_path / "b", "--cores", 8, "--golden", "none", "--report", "--json").stdout
    )["report"]
    assert report["crossbar_sites"] == sum(node["kind"] in ("Conv", "Gemm") for node in report["nodes"])
    refused = emu("compile", DIGITS, "--until", "spat", "--report")
    assert (refused.exit_code, "--until writes none" in refused.stderr) == (2, True)


def test_json(emu: Emu, tmp_path: Path) -> None:
    result = emu("compile", DIGITS, "-o", tmp_path / "x", "--json", "--golden", "none", "--placement", "pack")
    report = json.loads(result.stdout)
    assert report["golden"] is None
    assert report["cores"] == len(open_image(tmp_path / "x").cores)
    assert "codegen" in report["steps"]
    assert report["check"]["proved"]


def test_stages_as_text_go_on_where_they_stopped(emu: Emu, tmp_path: Path) -> None:
    """As text with its weights, without the model; with it, golden outputs are stored as ever."""
    assert emu("compile", DIGITS, "-o", tmp_path / "whole", "--cores", 16).exit_code == 0
    for stage in ("onnx", "spat", "pim"):
        text = emu("compile", DIGITS, "--cores", 16, "--until", stage, "--dump", tmp_path / "ir")
        assert text.exit_code == 0
        assert f"{stage}." in text.stdout
        (tmp_path / f"{stage}.mlir").write_text(text.stdout)
        again = ["compile", "--cores", 16, "--from", tmp_path / f"{stage}.mlir", "-o"]
        again = [*again, tmp_path / stage, "--weights", tmp_path / "ir" / "weights.npz"]
        assert emu(*again, DIGITS).exit_code == 0
        assert content_of(tmp_path / stage) == content_of(tmp_path / "whole")
        assert emu(*again).exit_code == 0
        files = open_image(tmp_path / stage).manifest.files
        assert files == {
            name: digest
            for name, digest in open_image(tmp_path / "whole").manifest.files.items()
            if "golden" not in name
        }
        assert emu("launch", tmp_path / stage, "--sequential", "--model", DIGITS).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--golden", "onnxruntime"], "--golden onnxruntime computes from the model: give it, too"),
        (["--shape", "in0=2,1,8,8"], "--shape in0=2,1,8,8: {ir}/00-import.mlir was not made for these shapes"),
        (["{other}"], "lenet5.onnx is not the model that {ir}/00-import.mlir was compiled from (other SHA-256)"),
        (["--weights", "{ir}/none.npz"], "{ir}/none.npz does not exist, but weights ('"),
        (["--weights", "{ir}/00-import.mlir"], "00-import.mlir is no readable .npz file"),
        (["--weights", "{strange}/weights.npz"], "weights.npz does not hold the weights 'c1.weight' of this text"),
    ],
)
def test_what_does_not_belong_to_a_text(emu: Emu, tmp_path: Path, arguments: list[str], words: str) -> None:
    names = {"ir": tmp_path / "ir", "strange": tmp_path / "strange", "other": tmp_path / "lenet5.onnx"}
    emu("export", "lenet5", "-o", names["other"])
    for model, folder in ((DIGITS, names["ir"]), (names["other"], names["strange"])):
        assert emu("compile", model, "--until", "onnx", "--dump", folder).exit_code == 0
    arguments = [argument.format(**names) for argument in arguments]
    result = emu("compile", "--from", names["ir"] / "00-import.mlir", "-o", tmp_path / "x", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words.format(**names) in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_weights_need_a_text(emu: Emu, tmp_path: Path) -> None:
    result = emu("compile", DIGITS, "-o", tmp_path / "x", "--weights", tmp_path / "weights.npz")
    assert result.exit_code == 2 and "--weights are those of a text" in result.stderr


def content_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_dump(emu: Emu, tmp_path: Path) -> None:
    assert emu("compile", DIGITS, "-o", tmp_path / "x", "--dump", tmp_path / "ir").exit_code == 0
    names = sorted(path.name for path in (tmp_path / "ir").iterdir())
    assert names[0] == "00-import.mlir"
    assert names[-2].endswith("-allocate-buffers.mlir") and names[-1] == "weights.npz"


def test_refusals(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"junk")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("precious")
    x = tmp_path / "x"
    for arguments, words in [
        ([DIGITS], "give -o DIRECTORY"),
        ([tmp_path / "none.onnx", "-o", x], "does not exist"),
        ([tmp_path / "bad.onnx", "-o", x], "bad.onnx is not an ONNX model"),
        ([DIGITS, "-o", tmp_path / "full"], "is not empty and holds no image"),
        ([DIGITS, "-o", x, "--arch", "huge"], "huge"),
        ([DIGITS, "-o", x, "--cores", 0], "'--cores': 0 is too small: give 1 or more"),
        ([DIGITS, "-o", x, "--cores", 5000], "5000"),
        ([DIGITS, "-o", x, "--shape", "in0"], "write it as in0=1,3,224,224"),
        ([DIGITS, "-o", x, "--shape", "in0=1,0"], "write it as in0=1,3,224,224"),
        ([DIGITS, "-o", x, "-p", "magic"], "no pass 'magic'"),
        ([DIGITS, "-o", x, "--samples", 100_000_000], "at most 1048576 of this network"),
        ([DIGITS, "-o", x, "--shape", "in0=1,1,8,8", "--shape", "in0=1,1,9,9"], "--shape in0=... is given more than"),
    ]:
        result = emu("compile", *arguments)
        assert (result.exit_code, result.stdout) == (2, ""), arguments
        assert words in result.stderr
        assert "Traceback" not in result.stderr
    assert not x.exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.full
def test_granularity_rows_is_as_right_and_smaller(emu: Emu, tmp_path: Path) -> None:
    memory: dict[str, int] = {}
    for kind in ("image", "rows:1"):
        out = tmp_path / kind.replace(":", "")
        assert emu("compile", DIGITS, "-o", out, "--arch", "tiny", "--granularity", kind).exit_code == 0
        assert open_image(out).manifest.options["granularity"] == kind
        result = emu("launch", out, "--sequential", "--json")
        assert result.exit_code == 0
        assert json.loads(result.stdout)["verdict"]["passed"]
        info = json.loads(emu("info", out, "--per-core", "--json").stdout)
        memory[kind] = max(core["memory"] for core in info["cores"])
    assert memory["rows:1"] < memory["image"]


def test_what_rows_do_not_keep_is_said(emu: Emu, tmp_path: Path) -> None:
    out = tmp_path / "rows"
    assert emu("compile", DIGITS, "-o", out, "--arch", "tiny", "--granularity", "rows:1").exit_code == 0
    result = emu("launch", out, "--sequential", "--keep", "node_relu", "--model", DIGITS)
    assert result.exit_code == 2
    assert "'node_relu': it passes through its cores some rows at a time, none holds it whole" in result.stderr
    assert "--granularity image" in result.stderr


def test_unknown_granularity(emu: Emu, tmp_path: Path) -> None:
    result = emu("compile", DIGITS, "-o", tmp_path / "x", "--granularity", "rows:0")
    assert result.exit_code == 2
    assert "'rows:0' is unknown: use 'image', 'auto', or 'rows:N'" in result.stderr


def test_small_architectures_have_a_smaller_default_of_cores(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "three.toml").write_text("[chip]\ncores = 5\n")
    result = emu("compile", DIGITS, "-o", tmp_path / "x", "--arch", tmp_path / "three.toml", "--golden", "none")
    assert (result.exit_code, result.stderr) == (0, "")
    assert open_image(tmp_path / "x").manifest.options["cores"] == "5"


def test_a_static_batch_can_be_compiled_for_one_sample(emu: Emu, tmp_path: Path) -> None:
    net = Net([4, 3, 8, 8])
    y = net.add("Relu", net.conv("x", 3, 5, (3, 3)))
    onnx.save(net.model(net.conv(y, 5, 2, (1, 1))), str(tmp_path / "batch.onnx"))
    model, out = tmp_path / "batch.onnx", tmp_path / "out"
    assert emu("compile", model, "-o", out, "--cores", 4, "--shape", "x=1,3,8,8").stderr == ""
    result = emu("launch", out, "--sequential", "--model", model, "--seed", 3, "--keep", "all", "--json")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["verdict"]["passed"], report["kept"]["passed"]) == (0, True, True)


def test_crossbars_are_those_of_info(emu: Emu, tmp_path: Path) -> None:
    """A float32 weight takes 16 cells of 2 bits: compile and info count the same crossbars."""
    (tmp_path / "sliced.toml").write_text("[crossbar]\ncell_bits = 2\n[core]\ncrossbars = 1024\n")
    result = emu(
        "compile", DIGITS, "-o", tmp_path / "x", "--arch", tmp_path / "sliced.toml", "--golden", "none", "--json"
    )
    report, info = json.loads(result.stdout), json.loads(emu("info", tmp_path / "x", "--json").stdout)
    assert report["crossbars"] == info["crossbars"] > 0
    assert report["crossbars"] % 16 == 0
    assert report["utilisation"] == info["crossbar_share"]
    text = emu("compile", DIGITS, "-o", tmp_path / "x", "--arch", tmp_path / "sliced.toml", "--golden", "none").stdout
    assert f" {info['crossbars']} crossbars ({info['crossbar_share']:.1%} of what these cores have)" in text


def damaged(path: Path) -> Path:
    """A variance below zero: refused inside of a pass."""
    names = ("scale", "bias", "mean", "variance")
    node = onnx.helper.make_node("BatchNormalization", ["x", *names], ["y"], "norm")
    infos = [onnx.helper.make_tensor_value_info(name, 1, [1, 2, 4, 4]) for name in "xy"]
    weights = [onnx.numpy_helper.from_array(np.full(2, -1, np.float32), name) for name in names]
    graph = onnx.helper.make_graph([node], "net", infos[:1], infos[1:], weights)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), str(path))
    return path


def test_a_refusal_inside_of_a_pass_is_one_sentence(emu: Emu, tmp_path: Path) -> None:
    model = damaged(tmp_path / "damaged.onnx")
    sentence = f"error: {model}: node 'norm' (BatchNormalization) has a variance that is not positive"
    for command in (["compile", model, "-o", tmp_path / "x"], ["validate", model]):
        result = emu(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        (line,) = result.stderr.splitlines()
        assert line.startswith(sentence)
    result = emu("compile", model, "-o", tmp_path / "x", "--debug")
    assert result.exit_code == 2
    assert '"onnx.BatchNormalization"' in result.stderr and "Traceback" in result.stderr


def test_passes_are_listed(emu: Emu, tmp_path: Path) -> None:
    text, listed = emu("compile", "--list-passes"), json.loads(emu("compile", "--list-passes", "--json").stdout)
    assert text.exit_code == 0
    names = [entry["name"] for entry in listed["passes"]]
    assert [line.split()[0] for line in text.stdout.splitlines()[2:]] == names
    assert all(entry["what"].endswith(".") for entry in listed["passes"])
    assert emu("compile", DIGITS, "-o", tmp_path / "x", "-p", ",".join(names), "--golden", "none").exit_code == 0
    assert "did you mean 'fold-bias'?" in emu("compile", DIGITS, "-o", tmp_path / "x", "-p", "fold-bais").stderr
    assert "MODEL is missing" in emu("compile", "-o", tmp_path / "x").stderr


def test_dump_says_what_changed_nothing(emu: Emu, tmp_path: Path) -> None:
    result = emu("compile", DIGITS, "-o", tmp_path / "x", "--dump", tmp_path / "ir", "--golden", "none")
    assert "fold-batchnorm" in result.stderr and "changed nothing" in result.stderr
    assert not list((tmp_path / "ir").glob("*fold-batchnorm*"))


def test_placement_by_hand(emu: Emu, tmp_path: Path) -> None:
    text = emu("compile", DIGITS, "--cores", 16, "--until", "spat", "--dump", tmp_path / "ir").stdout
    assert "core = 3}" in text
    (tmp_path / "ir" / "hand.mlir").write_text(text.replace("core = 3}", "core = 20}"))
    hand = ["compile", DIGITS, "--from", tmp_path / "ir" / "hand.mlir", "-o", tmp_path / "x"]
    refused = emu(*hand, "--cores", 16)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "is placed on core 20, but --cores 16 allows cores 0 to 15" in refused.stderr
    assert emu(*hand).exit_code == 0
    cores = set(open_image(tmp_path / "x").cores)
    assert 20 in cores and 3 not in cores
    assert emu("launch", tmp_path / "x").exit_code == 0
    assert emu("launch", tmp_path / "x", "--cores", 30, "--flow", "credits:2").exit_code == 0


def test_a_dynamic_batch_is_one(emu: Emu, tmp_path: Path) -> None:
    model = onnx.load(str(DIGITS))
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    onnx.save(model, str(tmp_path / "batch.onnx"))
    result = emu("compile", tmp_path / "batch.onnx", "-o", tmp_path / "x", "--cores", 16, "--json")
    assert result.exit_code == 0
    (warning,) = json.loads(result.stdout)["warnings"]
    assert "input 'in0' is [batch, 1, 8, 8]: compiled for one sample at a time" in warning
    assert warning in result.stderr
    assert emu("launch", tmp_path / "x", "--sequential").exit_code == 0
