"""The chip of a run: files over the image's chip, seeds, first trials, ranges that belong to the image."""

import json
from pathlib import Path

import pytest
from commands import Emu

from emu.errors import ArchError
from emu.image.reader import open_image
from launch.analog.described import after_trials, chip_of, chip_text, described
from launch.analog.options import OWN
from launch.analog.ranges import layers_by_group, network_of


def calibrated(image: Path, network: str = "", **renamed: str) -> str:
    """A chip file with ranges of every array group of an image; layers may have other names."""
    opened = open_image(image)
    rows = [
        [core, group, renamed.get(layer, layer), 8.0, [[-16.0, 16.0]]]
        for (core, group), layer in layers_by_group(opened).items()
    ]
    ranges = f'[ranges]\nnetwork = "{network or network_of(opened)}"\ngroups = {json.dumps(rows)}\n'
    return f'[crossbar]\nadc_bits = 8\n[mapping]\nadc_range = "calibrated"\n{ranges}'


def test_ranges_of_this_image_are_taken_and_of_others_refused(image: Path, emu: Emu, tmp_path: Path) -> None:
    path, opened = tmp_path / "ranges.toml", open_image(image)
    path.write_text(calibrated(image))
    assert described(opened, [path], None, 4).ranges.network == network_of(opened)
    for text, words in (
        (calibrated(image, "00" * 32), "of another network or mapping"),
        (calibrated(image, node_linear="node_other"), "holds 'node_linear'"),
    ):
        path.write_text(text)
        with pytest.raises(ArchError, match=words):
            described(opened, [path], None, 4)
        result = emu("launch", image, "--analog", path)
        assert result.exit_code == 2 and words in result.stderr and result.stderr.count("\n") == 1


def test_files_lie_over_each_other_and_say_what_is_drawn(image: Path, noisy: Path, tmp_path: Path) -> None:
    opened, more = open_image(image), tmp_path / "more.toml"
    more.write_text("[wires]\nrow_ohm = 2.0\n[draws]\nseed = 5\nfirst = 3\n")
    chip = described(opened, [OWN, noisy, more], None, 9)
    assert (chip.device.programming, chip.wires.row_ohm, chip.crossbar.kind) == ("gaussian", 2.0, "analog")
    assert (chip.draws.seed, chip.draws.first, chip.draws.samples) == (5, 3, 9)
    assert described(opened, [more], 8, 9).draws.seed == 8
    assert chip_of(chip_text(chip)) == chip
    assert chip_of(after_trials(chip_text(chip), 4)).draws.first == 7
    more.write_text('[device]\nprogramming = "magic"\n')
    with pytest.raises(ArchError, match=r'more.toml, line 2: device.programming is "magic", but "gaussian"'):
        described(opened, [noisy, more], None, 1)
    with pytest.raises(ArchError, match=r"more.toml: device.programming 'magic' is no model of cells"):
        described(opened, [more], None, 1)
