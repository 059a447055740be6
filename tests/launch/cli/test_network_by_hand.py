"""The network of two cores on the page of the level `pim`, written by hand, is read, compiled and run, and is right."""

from pathlib import Path

import level_pages
import numpy as np
from commands import Emu


def test_the_network_by_hand_runs(emu: Emu, tmp_path: Path) -> None:
    text, out, made = tmp_path / "two_cores.mlir", tmp_path / "out", tmp_path / "y.npz"
    text.write_text(level_pages.hand_written())
    assert emu("opt", text, "-o", tmp_path / "printed.mlir").exit_code == 0
    x = np.random.default_rng(0).standard_normal((1, 2, 4, 3)).astype(np.float32)
    np.savez(tmp_path / "x.npz", x=x)
    for source in (text, tmp_path / "printed.mlir"):
        assert emu("compile", "--from", source, "--arch", "tiny", "-o", out).exit_code == 0
        done = emu("launch", out, "--input", tmp_path / "x.npz", "--golden", "none", "--save", made)
        assert done.exit_code == 0, done.stderr
        with np.load(made) as arrays:
            assert np.array_equal(arrays["y"], [np.maximum(x, 0) + x])  # one sample
