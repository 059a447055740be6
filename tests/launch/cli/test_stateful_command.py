"""`emu compile --state`, `--max-length`, `emu launch --stateful`: steps, first values, and what is refused."""

from pathlib import Path

import numpy as np
import onnx
from commands import Emu
from decoders import decoder
from exported_decoders import gpt2


def test_a_decoder_in_steps(emu: Emu, tmp_path: Path) -> None:
    """Golden values, of a sample and of steps, are those of the model with caches of fixed capacity."""
    onnx.save(decoder(), tmp_path / "decoder.onnx")
    np.savez(tmp_path / "ids.npz", ids=np.array([3, 1, 4, 9]).reshape(4, 1, 1))
    compiled = ("compile", tmp_path / "decoder.onnx", "-o", tmp_path / "out", "--shape", "ids=1,1")
    refused = emu(*compiled)
    assert (refused.exit_code, "say how many tokens it is to hold by --max-length" in refused.stderr) == (2, True)
    assert emu(*compiled, "--max-length", 4).exit_code == 0
    assert emu("launch", tmp_path / "out").exit_code == 0
    steps = ("launch", tmp_path / "out", "--stateful", "--model", tmp_path / "decoder.onnx", "--input")
    done = emu(*steps, tmp_path / "ids.npz")
    assert done.exit_code == 0 and "PASS  scores" in done.stdout, done.output
    np.savez(tmp_path / "long.npz", ids=np.ones((5, 1, 1), np.int64))
    done = emu(*steps, tmp_path / "long.npz", "--golden", "none")
    assert (done.exit_code, "index outside the table" in done.stderr) == (3, True)


def test_a_decoder_whose_caches_a_concat_appends_to(emu: Emu, tmp_path: Path) -> None:
    """Golden values are those of the file, read with the shapes that it was compiled for."""
    decoder, room = gpt2(2, 2, layers=1), 6
    onnx.save(decoder.model, tmp_path / "gpt2.onnx")
    _, full = zip(*decoder.feeds(3, room), strict=True)
    np.savez(tmp_path / "steps.npz", **{name: np.stack([feed[name] for feed in full]) for name in full[0]})
    out = tmp_path / "out"
    compiled = ("compile", tmp_path / "gpt2.onnx", "-o", out, "--max-length", room)
    refused = emu(*compiled)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "input 'input_ids' has a dynamic shape" in refused.stderr and not out.exists()
    assert emu(*compiled, "--shape", "input_ids=2,2", "--cores", 24).exit_code == 0
    assert emu("launch", out).exit_code == 0
    done = emu("launch", out, "--stateful", "--model", tmp_path / "gpt2.onnx", "--input", tmp_path / "steps.npz")
    assert done.exit_code == 0 and "PASS  logits" in done.stdout, done.output
