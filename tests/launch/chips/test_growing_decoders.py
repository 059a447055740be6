"""Decoders whose caches grow, compiled with `--max-length`: a chip's steps are those of the model as it is."""

import exported_decoders as exported
import onnx
import pytest
from exported_graphs import grown
from in_process import assert_close

import compiler
from emu.errors import EmuError
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential

DECODERS = {
    "gpt2": lambda: exported.gpt2(layers=1),
    "llama": lambda: exported.llama(layers=1),
    "llama with padding": lambda: exported.llama(2, 2, layers=1, mask="padding"),
    "llama with a causal mask": lambda: exported.llama(layers=1, mask="none", positions="table"),
    "t5": exported.t5,
    "keys and values in one": exported.stacked,
    "bloom": exported.bloom,
}


@pytest.mark.few(3)
@pytest.mark.parametrize("name", DECODERS)
def test_steps_are_those_of_caches_that_grow(tmp_path, name):
    """Up to the last token that there is room for, and none after it."""
    decoder, steps = DECODERS[name](), 3
    room, on = steps * decoder.tokens, power_on if name == "llama" else power_on_sequential
    onnx.save(decoder.model, tmp_path / "model.onnx")
    compiler.compile(tmp_path / "model.onnx", out=tmp_path / "out", cores=24, max_length=room, shapes=decoder.shapes)
    plain, full = zip(*decoder.feeds(steps, room), strict=True)
    with on(tmp_path / "out", timeout=60) as chip:
        for step, wanted in enumerate(grown(decoder, plain), start=1):
            found = chip.step(full[step - 1])
            assert found["next_position"].tolist() == [step * decoder.tokens]
            for output, array in wanted.items():
                front = tuple(slice(0, size) for size in array.shape)
                assert_close({output: found[output][front]}, {output: array})
        with pytest.raises(EmuError, match="index outside the table"):
            chip.step(full[-1])
