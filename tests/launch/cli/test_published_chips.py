"""Networks are compiled for every preset of a published chip, and its figures go with the image."""

from pathlib import Path

import pytest
from commands import DIGITS, Emu

from emu.arch.read import load_arch, preset_names
from emu.image.reader import open_image

PUBLISHED = [name for name in preset_names() if load_arch(name).timing is not None]
_FEW = "which take 31 cores of 2 crossbars each", "8 such chips"
TOO_SMALL = {  # for weights that are there all the time, and what is said then
    "cim-mlc-jain": _FEW,
    "jain": _FEW,
    "cinnamon": ("which take 20 cores of 2 crossbars each", "5 such chips"),
    "occ": ("a core has 1 crossbar, but one tile of float32 weights takes 4",),
}


@pytest.mark.parametrize("name", [name for name in PUBLISHED if name not in TOO_SMALL])
def test_a_network_is_compiled_for_a_published_chip(emu: Emu, tmp_path: Path, name: str) -> None:
    done = emu("compile", DIGITS, "-o", tmp_path / "out", "--arch", name, "--golden", "none")
    assert done.exit_code == 0, done.stderr
    assert "check proved" in done.stdout
    assert open_image(tmp_path / "out").arch == load_arch(name)


@pytest.mark.parametrize("name", TOO_SMALL)
def test_a_chip_that_is_too_small_says_how_many_it_would_take(emu: Emu, tmp_path: Path, name: str) -> None:
    done = emu("compile", DIGITS, "-o", tmp_path / "out", "--arch", name, "--golden", "none")
    assert done.exit_code == 2
    assert all(part in done.stderr for part in TOO_SMALL[name])


def test_there_are_presets_of_published_chips() -> None:
    chips = {"isaac", "isaac-board", "jain", "jia", "pimsim-latency", "prime", "puma"}
    called = {"cinnamon", "occ"}  # by programs that write crossbars while they run
    assert set(PUBLISHED) == {*chips, *called, *(f"cim-mlc-{name}" for name in ("isaac", "jain", "jia", "puma"))}
