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


@pytest.mark.parametrize("level", ["products", "cinm", "cim", "memristor", "calls"])
def test_products_of_cinnamon_are_text_that_can_be_executed(text, tmp_path, level):
    file = tmp_path / "level.mlir"
    assert emu(text, "--recipe", "cinnamon", "--until", level, "-o", file).exit_code == 0
    again = emu(file, "--backend", "sequential", "--json", *(["-p", ""] if level == "products" else []))
    assert again.exit_code == 0, again.stderr
    assert json.loads(again.stdout)["counters"]["products"] == int(level != "products")


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


def test_a_device_that_lies_is_found(text, monkeypatch):
    right = DeviceCrossbars.wait
    monkeypatch.setattr(DeviceCrossbars, "wait", lambda self, future: right(self, future) + np.float32(1))
    made = emu(text, "--backend", "sequential")
    assert made.exit_code == 1
    assert "FAIL  output: 4 of 4 elements differ" in made.stdout
    assert made.stderr == "error: with the device output differs from the interpretation\n"
