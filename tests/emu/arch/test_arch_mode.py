"""What a schedule may control on a chip, by its mode."""

from dataclasses import replace

import pytest

from emu.arch import Arch
from emu.arch.mode import MODES, WORKING
from emu.errors import ArchError


@pytest.mark.parametrize(
    ("mode", "parts"), [("cm", {"cores"}), ("xbm", {"cores", "crossbars"}), ("wlm", {"cores", "crossbars", "rows"})]
)
def test_a_mode_says_what_may_be_controlled(mode, parts):
    arch = replace(Arch(), mode=mode)
    for part in ("cores", "crossbars", "rows"):
        if part in parts:
            arch.require(part, "the pass p")
        else:
            with pytest.raises(
                ArchError, match=rf'^architecture default: the pass p controls single {part}, .*"{mode}"'
            ):
                arch.require(part, "the pass p")


def test_a_refusal_says_what_mode_would_do():
    with pytest.raises(ArchError) as error:
        Arch().require("rows", "the pass remap-rows")
    assert str(error.value) == (
        'architecture default: the pass remap-rows controls single rows, but chip.mode is "xbm", in which a crossbar'
        ' works as a whole: leave it out, or take a chip whose mode is "wlm"'
    )


def test_modes_are_told_apart():
    assert set(MODES) == set(WORKING)
    assert Arch().mode == "xbm"
