"""`emu offload`: verdicts, levels that can be fed back, inputs, and refusals of one sentence."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from launch.cli import cli
from launch.offload.crossbars import DeviceCrossbars

ROOT = Path(__file__).resolve().parents[3]
MM = str(ROOT / "examples" / "kernels" / "mm.mlir")
SCRIPT = str(ROOT / "examples" / "kernels" / "neuro_matmul.mlir")
CALLED = ("cim", "memristor", "calls")  # levels at which a device is called
SMALL = """func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
"""


def emu(*words):
    return CliRunner().invoke(cli, ["offload", *map(str, words)])


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "small.mlir"
    path.write_text(SMALL)
    return path


@pytest.mark.parametrize("backend", ["sequential", "numpy"])
def test_a_kernel_is_right_and_its_calls_are_told(backend):
    made = emu(MM, "--arch", "occ", "--backend", backend, "--json")
    assert made.exit_code == 0, made.stderr
    told = json.loads(made.stdout)
    assert (told["call_sites"], told["contractions"]) == (1, 1)
    assert (told["counters"]["writes"], told["counters"]["products"]) == (6, 24)
    assert told["outputs"] == [{"name": "output", "elements": 14000, "differ": 0, "max_diff": 0.0}]
    assert told["simulation"]["time_ps"] > 0


def test_without_interchange_each_tile_is_written_for_each_of_the_rows():
    passes = "linalg-generalize,detect-contractions,ttgt,tile,linalg-to-cim"
    told = json.loads(emu(MM, "--arch", "occ", "--backend", "sequential", "-p", passes, "--json").stdout)
    assert told["counters"]["writes"] == 6 * -(-200 // 64)


@pytest.mark.parametrize("level", ["linalg", "contractions", "products", "tiles", "cim", "memristor", "calls"])
def test_every_level_is_text_that_can_be_executed(tmp_path, level):
    file = tmp_path / "level.mlir"
    assert emu(MM, "--arch", "occ", "--until", level, "-o", file).exit_code == 0
    again = emu(file, "--arch", "occ", "--backend", "sequential", *([] if level in CALLED else ["-p", ""]))
    assert again.exit_code == 0, again.stderr
    assert ("writes                      6" in again.stdout) == (level in CALLED)


@pytest.mark.parametrize(
    ("recipe", "level"),
    [
        *((recipe, level) for recipe in ("occ", "cinnamon") for level in CALLED),
        *(("neuroboard", level) for level in ("neuro", "calls")),
    ],
)
def test_products_of_halves_go_through_every_level(tmp_path, recipe, level):
    half, file = tmp_path / "half.mlir", tmp_path / "level.mlir"
    half.write_text(SMALL.replace("f32", "f16"))
    assert emu(half, "--recipe", recipe, "--until", level, "-o", file).exit_code == 0
    made = emu(file, "--backend", "sequential")
    assert made.exit_code == 0, made.output
    assert "1 call site of 1 contraction" in made.stdout


def test_a_text_with_calls_goes_on_to_the_library(tmp_path):
    files = [tmp_path / f"{level}.mlir" for level in CALLED]
    assert emu(MM, "--arch", "occ", "--until", "cim", "-o", files[0]).exit_code == 0
    for level, before, file in zip(CALLED[1:], files, files[1:], strict=False):
        assert emu(before, "--arch", "occ", "--until", level, "-o", file).exit_code == 0
    whole = emu(MM, "--arch", "occ", "--until", "calls")
    assert (
        files[-1].read_text().count("call @memristor_gemm_i8_i32")
        == whole.stdout.count("call @memristor_gemm_i8_i32")
        == 3
    )


def test_passes_that_are_given_are_all_executed():
    passes = "linalg-generalize,detect-contractions,ttgt,tile,linalg-to-cim,cim-to-memristor,memristor-to-calls"
    told = json.loads(emu(MM, "--arch", "occ", "--backend", "sequential", "-p", passes, "--json").stdout)
    assert (told["exit_code"], told["passes"]) == (0, passes.split(","))
    assert told["counters"]["writes"] == 6 * -(-200 // 64)


def test_a_memref_that_is_written_is_an_output(text, tmp_path):
    text.write_text(
        "func.func @main(%a: memref<2x2xi32>, %b: memref<2x2xi32>, %c: memref<2x2xi32>) {\n"
        "%x = arith.constant 1 : i32\nmemristor.write_to_crossbar(%x, %b) : i32, memref<2x2xi32>\n"
        "memristor.gemm(%x, %a, %c) : i32, memref<2x2xi32>, memref<2x2xi32>\nmemristor.barrier(%x) : i32\nreturn\n}\n"
    )
    given = [f"--input={name}" for name in ("a=1,2,3,4", "b=5,6,7,8", "c=0,0,0,0")]
    made = emu(text, "--backend", "sequential", "-o", tmp_path / "y.npz", *given)
    assert made.exit_code == 0, made.stderr
    assert "PASS  c: 0 of 4 elements differ" in made.stdout
    np.testing.assert_array_equal(np.load(tmp_path / "y.npz")["c"], [[19, 22], [43, 50]])


@pytest.mark.parametrize("level", ["products", "cinm", "cim", "memristor", "calls"])
def test_products_of_cinnamon_are_text_that_can_be_executed(text, tmp_path, level):
    file = tmp_path / "level.mlir"
    assert emu(text, "--recipe", "cinnamon", "--until", level, "-o", file).exit_code == 0
    again = emu(file, "--backend", "sequential", "--json", *(["-p", ""] if level == "products" else []))
    assert again.exit_code == 0, again.stderr
    assert json.loads(again.stdout)["counters"]["products"] == int(level != "products")


@pytest.mark.parametrize("words", [["--recipe", "occ"], ["--recipe", "cinnamon"], ["-p", "linalg-generalize"]])
@pytest.mark.parametrize("until", [[], ["--until", "products"]])
def test_a_script_that_nothing_carries_out_is_told(words, until):
    shapes = ["--shape=a=2,3", "--shape=b=3,4", "--shape=c=2,4"]
    made = emu(SCRIPT, "--backend", "sequential", *shapes, *words, *until)
    assert made.exit_code == 0, made.stderr
    assert made.stderr == (
        "note: the transform script in the text is not carried out: --recipe neuroboard does that, or the pass"
        " transform-interpreter\n"
    )
    with_it = emu(SCRIPT, "--backend", "sequential", *shapes, "--recipe", "neuroboard", *until)
    assert (with_it.exit_code, with_it.stderr) == (0, "")


SIZES = [f"--size={index}={size}" for index, size in {"m": 8, "n": 9, "k": 5, "l": 6}.items()]


@pytest.mark.parametrize("kind", ["i8", "i32", "f32"])
@pytest.mark.parametrize("recipe", ["occ", "cinnamon"])
def test_a_contraction_by_its_indices(tmp_path, kind, recipe):
    rng = np.random.default_rng(0)
    element, sums = {"i8": ("i1", "i4"), "i32": ("i4", "i4"), "f32": ("f4", "f4")}[kind]
    a, b, c = (rng.integers(-9, 9, shape) for shape in ((5, 6, 8), (6, 5, 9), (8, 9)))
    np.savez(tmp_path / "x.npz", A=a.astype(element), B=b.astype(element), C=c.astype(sums))
    made = emu(
        "--contraction", "C(m,n) += A(k,l,m) * B(l,k,n)", *SIZES, "--type", kind, "--recipe", recipe,
        "--input", tmp_path / "x.npz", "--backend", "sequential", "-o", tmp_path / "y.npz", "--json",
    )  # fmt: skip
    assert made.exit_code == 0, made.stderr
    assert json.loads(made.stdout)["call_sites"] == 1
    found = np.load(tmp_path / "y.npz")["output"]
    assert found.dtype == np.dtype(sums)
    np.testing.assert_array_equal(found, c + np.einsum("klm,lkn->mn", a, b))


def test_a_convolution_by_its_indices(tmp_path):
    rng = np.random.default_rng(0)
    x, w = rng.integers(-9, 9, (3, 11)).astype("i1"), rng.integers(-9, 9, (4, 3, 3)).astype("i1")
    np.savez(tmp_path / "x.npz", X=x, W=w)
    sizes = ["--size=o=4", "--size=h=5", "--size=c=3", "--size=p=3"]
    words = ("--type", "i8", "--input", tmp_path / "x.npz", "--backend", "sequential", "-o", tmp_path / "y.npz")
    made = emu("--contraction", "O(o,h) +=! X(c,2*h+p) * W(o,c,p)", *sizes, *words)
    assert made.exit_code == 0, made.stderr
    windows = np.lib.stride_tricks.sliding_window_view(x.astype("i4"), 3, axis=1)[:, ::2]
    np.testing.assert_array_equal(np.load(tmp_path / "y.npz")["output"], np.einsum("chp,ocp->oh", windows, w))


@pytest.mark.parametrize(
    ("contraction", "words", "said"),
    [
        ("C(m,n) = A(m,k) * B(k,n)", [], "is none: write it as"),
        ("C(m,n) += A(m,k) * A(k,n)", [], "has two tensors of one name"),
        ("C(m,n) += A(m,m) * B(m,n)", [], "A(m,m) has an index twice"),
        ("C(m,i) += A(m,k) * B(k,n)", [], "the index i of C is none of A and B"),
        ("C(m,n) += A(m,k-1) * B(k,n)", [], "'k-1' is no index: write m, or a sum such as h+p or 2*h+p"),
        ("C(m,n) += A(m,k+k) * B(k,n)", [], "has an index twice"),
        ("C(m,n) += A(m,j) * B(j,n)", [], "the index j has no size: give --size j=N"),
        ("C(m,n) += A(m,k) * B(k,n)", [], "the contraction has no index 'l'"),
        ("C(m,n) += A(m,k) * B(k,n)", [MM], "give MODEL or --contraction, one of them"),
    ],
)
def test_what_is_no_contraction_is_one_sentence(contraction, words, said):
    made = emu("--contraction", contraction, *SIZES, *words)
    assert made.exit_code == 2
    assert said in made.stderr


def test_inputs_by_name_and_outputs_in_a_file(text, tmp_path):
    np.save(tmp_path / "b.npy", np.eye(3, 2, dtype=np.float32))
    given = ["a=1,2,3,4,5,6", f"b={tmp_path / 'b.npy'}", "c=0,0,0,1"]
    made = emu(text, "--backend", "sequential", "-o", tmp_path / "y.npz", *(f"--input={each}" for each in given))
    assert made.exit_code == 0, made.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "y.npz")["output"], [[1, 2], [4, 6]])


def test_a_device_that_lies_is_found(text, monkeypatch):
    right = DeviceCrossbars.wait
    monkeypatch.setattr(DeviceCrossbars, "wait", lambda self, future: right(self, future) + np.float32(1))
    made = emu(text, "--backend", "sequential")
    assert made.exit_code == 1
    assert "FAIL  output: 4 of 4 elements differ" in made.stdout
    assert made.stderr == "error: with the device output differs from the interpretation\n"


REFUSALS = [
    (SMALL.replace("linalg.matmul", "linalg.matmull"), [], "line 2, column 8: linalg.matmull is not understood"),
    (SMALL.replace("f32", "bf16"), [], "line 1: func.func has elements of type bf16"),
    (SMALL.replace("2x3xf32", "?x3xf32"), [], "the input 'a' has sizes that are open: give it by --input"),
    (SMALL, ["-p", "tiling"], "there is no pass 'tiling'"),
    (SMALL, ["-p", "tile{sizes=2,2}"], "sizes are three numbers"),
    (SMALL, ["-p", "linalg-generalize,detect-contractions,linalg-to-cim"], "run the pass tile before"),
    (SMALL, ["-p", "linalg-generalize,detect-contractions,tile,interchange"], "give min-writes or an order"),
    (SMALL, ["-p", "cinm-to-cim{schedule=never}"], "there is no schedule 'never': use asap, alap, or the import path"),
    (
        SMALL,
        ["--recipe", "cinnamon", "--arch", "occ"],
        "line 2: linalg.matmul needs 4 crossbars of a core",
    ),
    (SMALL, ["--input", "d=1"], "--input d=...: the inputs are 'a', 'b', 'c'"),
    (SMALL, ["--input", "a=1"], "--input a=...: it has 6 elements, not 1"),
    (SMALL.replace("2x", "1000000000x"), [], "line 1: func.func has a tensor<1000000000x3xf32>, of 3000000000"),
    (SMALL.replace("2x3xf32", "?x3xf32"), ["--shape", "a=999999999,3"], "these are 2999999997 elements, and"),
    (SMALL, ["--cores", "100000"], "--cores 100000 is impossible"),
]


@pytest.mark.parametrize(("content", "words", "said"), REFUSALS)
def test_what_cannot_be_done_is_one_sentence(text, content, words, said):
    text.write_text(content)
    made = emu(text, *words)
    assert (made.exit_code, made.stderr.count("\n")) == (2, 1), made.output
    assert said in made.stderr


def test_calls_in_a_wrong_order_are_refused(text):
    call = "%x = cim.acquire : !cim.crossbar<tensor<3x2xf32>, f32>\n"
    gemm = (
        "%f = cim.gemm(%x, %a) : (!cim.crossbar<tensor<3x2xf32>, f32>, tensor<2x3xf32>)"
        " -> !cim.future<tensor<2x2xf32>>\n"
    )
    text.write_text(SMALL.replace("  %y =", f"{call}{gemm}  %y ="))
    made = emu(text, "--backend", "sequential")
    assert made.exit_code == 2
    assert "multiplies by a crossbar that nobody has written" in made.stderr
