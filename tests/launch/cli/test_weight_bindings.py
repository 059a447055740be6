"""Networks run right wherever the cells of a weight stand, and take as many crossbars as that needs."""

import json
from math import ceil
from pathlib import Path

import numpy as np
import onnx
import pytest
from commands import EXAMPLES, Emu
from onnx_models import one_node, random_array

from emu.image.reader import open_image

CHIP = '[crossbar]\nrows = 32\ncols = 32\ncell_bits = 2\nweight_binding = "{}"\n[core]\ncrossbars = 4096\n'


def compiled(emu: Emu, model: Path, folder: Path, binding: str) -> tuple[Path, int]:
    """The image for a chip of that binding, run and right; the crossbars it takes."""
    (folder / f"{binding}.toml").write_text(CHIP.format(binding))
    out = folder / binding
    done = emu("compile", model, "-o", out, "--arch", folder / f"{binding}.toml", "--cores", 8, "--json")
    assert done.exit_code == 0, done.stderr
    ran = emu("launch", out)
    assert ran.exit_code == 0, ran.output
    return out, json.loads(done.stdout)["crossbars"]


def test_a_network_of_integers(emu: Emu, tmp_path: Path) -> None:
    for binding in ("crossbars", "columns"):
        out, taken = compiled(emu, EXAMPLES / "digits_cnn_int8.onnx", tmp_path, binding)
        image = open_image(out)
        groups = [group for core in image.cores for group in image.program(core).groups]
        slices, most = (4, 32) if binding == "crossbars" else (1, 8)
        assert taken == slices * sum(group.crossbars for group in groups)
        assert max(width for group in groups for width in group.col_tiles) == most


@pytest.mark.parametrize("binding", ["crossbars", "columns"])
def test_layers_that_fit_only_as_many_weights(emu: Emu, tmp_path: Path, binding: str) -> None:
    """A float weight takes 16 cells: 2 stand in a row of 32 columns; groups of 3 filters do not fit in there."""
    w = random_array(9, 2, 2, 2)
    model = one_node("Conv", (1, 6, 4, 4), w, group=3, name="grouped")
    onnx.save(model, tmp_path / "net.onnx")
    _, taken = compiled(emu, tmp_path / "net.onnx", tmp_path, binding)
    assert taken == (16 if binding == "crossbars" else 3 * ceil(3 / 2))


@pytest.mark.parametrize("binding", ["crossbars", "columns"])
def test_a_recurrence(emu: Emu, tmp_path: Path, binding: str) -> None:
    rng = np.random.default_rng(0)
    w, r = (rng.uniform(-0.5, 0.5, (1, 15, size)).astype(np.float32) for size in (4, 5))
    onnx.save(one_node("GRU", (3, 1, 4), w, r, hidden_size=5, name="gru"), tmp_path / "net.onnx")
    out, _ = compiled(emu, tmp_path / "net.onnx", tmp_path, binding)
    image = open_image(out)
    widths = [width for core in image.cores for group in image.program(core).groups for width in group.col_tiles]
    assert max(widths) == (15 if binding == "crossbars" else 2)


def test_a_chip_with_other_columns_of_weights_is_refused(emu: Emu, tmp_path: Path) -> None:
    out, _ = compiled(emu, EXAMPLES / "digits_cnn_int8.onnx", tmp_path, "columns")
    text = CHIP.format("crossbars") + "[timing]\nclock_ns = 1\n"
    (tmp_path / "other.toml").write_text(text)
    done = emu("time", out, "--arch", tmp_path / "other.toml")
    assert done.exit_code == 2
    assert "has crossbars of 32 x 32 i8 weights, but the programs were compiled for" in done.stderr
    assert "with 32 x 8: compile them with --arch" in done.stderr
