"""`emu opt`: passes over IR from files and pipes, own passes, refusals."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import DIGITS, Emu

from compiler.passes import PIPELINE
from emu.image.reader import open_image
from launch.cli import cli

OWN = '''"""A pass of somebody else's."""
from dataclasses import dataclass
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class Rename(ModulePass):
    name = "rename"
    to: str = "other"

    def apply(self, ctx, op):
        for inner in op.walk():
            if inner.name == "onnx.Relu":
                inner.properties["node"] = type(inner.properties["node"])(self.to)


@dataclass(frozen=True)
class Breaks(ModulePass):
    name = "breaks"

    def apply(self, ctx, op):
        raise RuntimeError("two\\nlines")


@dataclass(frozen=True)
class Spoils(ModulePass):
    name = "spoils"

    def apply(self, ctx, op):
        for inner in list(op.walk()):
            if inner.name == "onnx.Relu":
                inner.properties.clear()


class NoPass:
    name = "no-pass"
'''
RELU = """
func.func @main(%x: tensor<1x4xf32> {onnx.name = "x"}) -> (tensor<1x4xf32> {onnx.name = "y"}) {
  %y = onnx.Relu(%x) {node = "relu", tensor = "y"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  func.return %y : tensor<1x4xf32>
}
"""


@pytest.fixture
def ir(tmp_path: Path) -> Path:
    arguments = ["compile", DIGITS, "--cores", 16, "--until", "onnx", "--dump", tmp_path / "ir"]
    assert CliRunner().invoke(cli, list(map(str, arguments))).exit_code == 0
    return tmp_path / "ir" / "00-import.mlir"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_passes.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("own_passes", None)


def piped(text: str, *arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["opt", *map(str, arguments)], input=text)
    return result.exit_code, result.stdout, result.stderr


def test_all_passes_in_one_pipe_make_the_same_programs(emu: Emu, ir: Path, tmp_path: Path) -> None:
    text, weights = ir.read_text(), ir.parent / "weights.npz"
    for number, name in enumerate(PIPELINE):
        kept = tmp_path / f"{number}.npz"
        code, text, told = piped(text, "-p", name, "--cores", 16, "--weights", weights, "--save-weights", kept)
        assert (code, told) == (0, "")
        weights = kept
    (tmp_path / "pim.mlir").write_text(text)
    for out, arguments in (("whole", [DIGITS, "--golden", "none"]), ("parts", ["--from", tmp_path / "pim.mlir"])):
        arguments = [*arguments, "--weights", weights] if out == "parts" else arguments
        assert emu("compile", *arguments, "--cores", 16, "-o", tmp_path / out).exit_code == 0
    whole, parts = (open_image(tmp_path / out).manifest for out in ("whole", "parts"))
    assert whole.files == parts.files and whole.tensors == parts.tensors and whole.model == parts.model
    assert parts.options.pop("from").startswith("text of a stage, sha256 ")
    assert parts.options == whole.options


def test_a_real_pipe(ir: Path, tmp_path: Path) -> None:
    opt = f"{sys.executable} -m launch opt"
    weights = tmp_path / "kept.npz"
    line = f"{opt} {ir} -p normalize-gemm --save-weights {weights} | {opt} -p lower-onnx-to-spat --weights {weights}"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("\n") == 1 and "spat.product" in done.stdout


def test_weights_that_nobody_needs_need_not_be_there(ir: Path) -> None:
    text = ir.read_text()
    (ir.parent / "weights.npz").unlink()
    code, out, told = piped(text, "-p", "remove-identity")
    assert (code, told) == (0, "") and out.partition("emu.weights")[2] == text.partition("emu.weights")[2].partition(
        "// SHA-256"
    )[0]
    code, out, told = piped(text, "-p", "normalize-gemm")
    assert (code, out) == (2, "")
    assert "error: /dev/stdin: the weights 'f1.weight' are needed: name their file by --weights" in told


def test_weights_that_are_made_are_told(emu: Emu, ir: Path) -> None:
    result = emu("opt", ir, "-p", "normalize-gemm")
    assert result.exit_code == 0 and "were made here: --save-weights FILE keeps them" in result.stderr


def test_what_it_prints(emu: Emu, ir: Path, tmp_path: Path) -> None:
    result = emu("opt", ir, "-p", "remove-identity,fold-bias", "--print-between-passes", "-o", tmp_path / "x.mlir")
    assert result.stdout == "" and result.stderr.count("// after ") == 2 and result.stderr.count("func.func") == 2
    assert emu("opt", tmp_path / "x.mlir").stdout == (tmp_path / "x.mlir").read_text()
    assert emu("opt", "--list-passes").stdout == emu("compile", "--list-passes").stdout


def test_the_generic_form_is_printed_and_read(emu: Emu, ir: Path) -> None:
    plain, generic = (emu("opt", ir, "-t", form).stdout for form in ("mlir", "generic"))
    assert "onnx.Conv(%" in plain and '"onnx.Conv"(%' in generic and '"onnx.Conv"' not in plain
    assert piped(generic, "-t", "mlir") == (0, plain, "")


@pytest.mark.usefixtures("own")
def test_own_passes(emu: Emu, tmp_path: Path) -> None:
    code, out, _ = piped(RELU, "-p", "remove-identity,own_passes:Rename")
    assert code == 0 and 'node = "other"' in out
    code, out, _ = piped(RELU, "-p", 'own_passes:Rename{to="a, b"},remove-identity')
    assert code == 0 and 'node = "a, b"' in out
    options = ["--until", "onnx", "-p", "own_passes:Rename{to=mine}", "--dump", tmp_path / "dump"]
    result = emu("compile", DIGITS, *options)
    assert result.exit_code == 0 and 'node = "mine"' in result.stdout
    assert [path.name for path in sorted((tmp_path / "dump").glob("*.mlir"))] == ["00-import.mlir", "01-rename.mlir"]


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("pipeline", "words"),
    [
        ("nowhere:Pass", "the pass 'nowhere:Pass' cannot be imported: No module named 'nowhere'"),
        ("own_passes:Nothing", "'own_passes:Nothing' cannot be imported: module 'own_passes' has no attribute"),
        ("own_passes:NoPass", "'own_passes:NoPass' is no class derived from xDSL's ModulePass, with a name"),
        ("xdsl.passes:ModulePass", "is no class derived from xDSL's ModulePass, with a name"),
        (":", "pipeline: the pass ':' cannot be imported"),
        ("own_passes:Breaks", "/dev/stdin: pass own_passes:Breaks: RuntimeError: two lines"),
        (
            "own_passes:Spoils",
            "/dev/stdin: after pass own_passes:Spoils, onnx.Relu is wrong: property 'tensor'",
        ),
        ("own_passes:Rename{to=1}", "'own_passes:Rename{to=1}' cannot be made a pass"),
        ("own_passes:Rename{where=x}", "cannot be made a pass"),
        ("remove-identity{", "'remove-identity{' cannot be made a pass"),
        ("remove-identify", "there is no pass 'remove-identify'; did you mean 'remove-identity'?"),
    ],
)
def test_passes_that_are_none(pipeline: str, words: str) -> None:
    code, out, told = piped(RELU, "-p", pipeline)
    assert (code, out) == (2, "") and told.count("\n") == 1
    assert words in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "/dev/stdin: line 1, column 1"),
        ("this is not IR", "/dev/stdin: line 1, column 6"),
        (
            RELU.replace("Relu", "Rellu"),
            "line 3, column 18: there is no operation onnx.Rellu; did you mean 'onnx.Relu'?",
        ),
        (RELU.replace("relu", "\udcff"), "/dev/stdin is not UTF-8 text"),
        (
            RELU.replace('tensor = "y"', 'tensors = "y"'),
            "onnx.Relu of node relu has no property 'tensors'; did you mean",
        ),
    ],
)
def test_text_that_is_none(text: str, words: str) -> None:
    result = CliRunner().invoke(cli, ["opt"], input=text.encode(errors="surrogateescape"))
    assert (result.exit_code, result.stdout) == (2, "") and result.stderr.count("\n") == 1
    assert words in result.stderr


def test_programs_as_assembly() -> None:
    code, out, told = piped(RELU, "-p", ",".join(PIPELINE), "-t", "asm")
    assert (code, told) == (0, "") and "vrelu" in out
    code, out, told = piped(RELU, "-t", "asm")
    assert (code, out) == (2, "") and "there is no pim.core" in told
