"""Kept tensors: tiles put together in the form that the image tells, choice by node or tensor, reasons why not."""

from collections.abc import Mapping
from itertools import permutations
from math import prod
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS
from hypothesis import given
from hypothesis import strategies as st
from strategies_programs import forms
from tensors import image_buffer

from emu.arch import Arch
from emu.errors import InputError
from emu.image.manifest import Manifest, TensorOrigin
from emu.isa.dtypes import DType
from emu.program.form import Form
from emu.program.program import BufferSpec
from launch.golden.intermediate import KeptTensor, choose, kept_tensors, tensors_of
from launch.golden.verdict import compare

TENSOR = np.arange(5 * 2 * 3, dtype=np.float32).reshape(1, 5, 2, 3)


def buffer(name: str, low: int, high: int, width: int = 3, total: int = 5) -> BufferSpec:
    return image_buffer(name, (low, high), 2, width, DType.f32, total=total)


def manifest(*origins: TensorOrigin, **options: str) -> Manifest:
    return Manifest(Arch(), (), (), (), 0, tensors=origins, options=options)


def chosen(keep: list[str], tensors: Mapping[str, KeptTensor], known: Manifest) -> list[str]:
    return [tensor.name for tensor in choose(keep, tensors, known)]


def test_tiles_of_several_cores_become_one_tensor() -> None:
    buffers = {0: [buffer("t", 0, 2), buffer("u", 0, 1, total=1)], 4: [buffer("t", 2, 5)], 5: [buffer("t", 2, 5)]}
    kept = kept_tensors(buffers)
    captures = {
        (core, index): np.ascontiguousarray(TENSOR[0, low:high].transpose(1, 2, 0)).tobytes()
        for core, index, low, high in [(0, 0, 0, 2), (4, 0, 2, 5), (5, 0, 2, 5)]
    }
    assert np.array_equal(kept["t"].assemble(captures), TENSOR)
    assert kept["u"].form.shape == (1, 1, 2, 3)


def test_parts_that_are_copied_from_a_tile_are_left_out() -> None:
    tiles = [buffer("t", 0, 3), buffer("t", 0, 1), buffer("t", 1, 3)]
    (kept,) = kept_tensors({0: tiles, 1: [buffer("t", 3, 5)]}).values()
    assert [spec.box[-1] for _, spec in kept.tiles] == [(0, 3), (3, 5)]


@pytest.mark.parametrize(
    "tiles",
    [
        [buffer("t", 1, 5)],
        [buffer("t", 0, 4)],
        [buffer("t", 0, 2), buffer("t", 3, 5)],
        [buffer("t", 0, 2), buffer("t", 2, 5, 4)],
        [buffer("t", 0, 5, total=5), buffer("t", 5, 6, total=6)],
    ],
)
def test_incomplete_tensors_are_left_out(tiles: list[BufferSpec]) -> None:
    assert kept_tensors({0: tiles}) == {}


@given(form=forms(), seed=st.integers(0, 99))
def test_any_form_is_read_back_in_the_logical_order(form: Form, seed: int) -> None:
    """Against plain arithmetic: element by element through the row-major order of the axes."""
    array = np.random.default_rng(seed).standard_normal(form.shape).astype(np.float32)
    assert form.fault() == ""
    names = "NMLKJIGFEDHW"[13 - len(form.extent) :] + "C"
    sizes = dict(zip(names, (*form.extent[1:], form.extent[0]), strict=True))
    memory = np.zeros(prod(form.extent), np.float32)
    axes = "".join(form.layout)
    for flat, value in enumerate(array.reshape(-1)):
        place, rest = dict.fromkeys(names, 0), flat
        for axis in reversed(axes):
            rest, place[axis] = divmod(rest, sizes[axis])
        at = 0
        for name in names:
            at = at * sizes[name] + place[name]
        memory[at] = value
    spec = BufferSpec("t", form, form.whole, DType.f32, 0, 0)
    (kept,) = kept_tensors({3: [spec]}).values()
    assert np.array_equal(kept.assemble({(3, 0): memory.tobytes()}), array)


@pytest.mark.parametrize("layout", [*permutations(("C", "W"))])
def test_a_transposed_square_of_tokens_fails(layout: tuple[str, str]) -> None:
    """As many tokens as channels: only the image tells which is which."""
    golden = np.arange(1.0, 17.0, dtype=np.float32).reshape(1, 4, 4)
    form = Form((1, 4, 4), (4, 1, 4), ("", *layout))
    (kept,) = kept_tensors({0: [BufferSpec("t", form, form.whole, DType.f32, 0, 0)]}).values()
    tokens = golden[0] if layout == ("W", "C") else golden[0].T
    right = kept.assemble({(0, 0): np.ascontiguousarray(tokens).tobytes()})
    wrong = kept.assemble({(0, 0): np.ascontiguousarray(tokens.T).tobytes()})
    assert compare("t", right[None], golden[None]).passed
    assert not compare("t", wrong[None], golden[None]).passed


def test_choice_by_node_tensor_or_all() -> None:
    kept = kept_tensors({0: [buffer("b", 0, 5), buffer("a", 0, 5), buffer("made", 0, 5)]})
    known = manifest(TensorOrigin("a", "first"), TensorOrigin("b", "second"), TensorOrigin("c", "second"))
    assert chosen(["all"], kept, known) == ["a", "b", "made"]
    assert chosen(["second", "made"], kept, known) == ["b", "made"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("nope", "--keep 'nope': no node or tensor called nope; can be kept: relu1, or all"),
        ("relu2", r"no node or tensor called relu2 \(did you mean 'relu1'\); can be kept"),
        ("conv1", "--keep 'conv1': fused into node 'relu1'; can be kept: relu1, or all"),
        ("c", "--keep 'c': fused into node 'relu1'"),
        ("flat", "--keep 'flat': shows tensor 'r'"),
        ("scattered", "--keep 'scattered': no core holds it whole; can be kept"),
    ],
)
def test_the_reason_is_told(entry: str, words: str) -> None:
    known = manifest(
        TensorOrigin("c", "conv1", "fused into node 'relu1'"),
        TensorOrigin("r", "relu1"),
        TensorOrigin("f", "flat", "shows tensor 'r', no data of its own"),
        TensorOrigin("s", "scattered"),
    )
    with pytest.raises(InputError, match=words):
        choose([entry], kept_tensors({0: [buffer("r", 0, 5)]}), known)


def test_rings_of_rows_are_told_as_such() -> None:
    with pytest.raises(InputError, match=r"some rows at a time, none holds it whole \(compile with"):
        choose(["conv"], {}, manifest(TensorOrigin("c", "conv"), granularity="rows:2"))


def test_tensors_of_a_model(tmp_path: Path) -> None:
    assert "relu" in tensors_of(DIGITS)
    (tmp_path / "bad.onnx").write_bytes(b"junk")
    with pytest.raises(InputError, match=r"bad.onnx is not a readable ONNX"):
        tensors_of(tmp_path / "bad.onnx")


def test_forms_that_do_not_agree_are_named() -> None:
    assert "must not be negative" in Form((-1, 2), (2, 1, 1), ("", "C")).fault()
    assert "must name axes" in Form((1, 2), (2, 1, 1), ("C",)).fault()
    assert "is not extent [2, 3, 1]" in Form((1, 2), (2, 3, 1), ("", "C")).fault()
    assert prod(Form((1, 6), (2, 3, 1), ("", "CH")).shape) == 6 and not Form((1, 6), (2, 3, 1), ("", "CH")).fault()
