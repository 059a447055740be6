"""Convolutions unrolled on a chain of cores: rolled again, they are short and compute the same."""

import resource

import numpy as np
import pytest
from convolution_chain import write_chain

from emu.check import check
from emu.image.reader import open_image
from emu.interop.pim_isa.importing.import_program import ImportRequest, import_program
from emu.interop.pim_isa.importing.raw_program import FILE
from launch.chips.power import power_on
from launch.chips.sequential import SequentialChip
from launch.processes.options import RunOptions


def given(image):
    return {name: array[0] for name, array in image.default_inputs().items()}


def test_a_short_chain(tmp_path):
    instructions = write_chain(tmp_path / "chain", 4, 12, 10)
    found = {
        rolls: import_program(ImportRequest(path=tmp_path / "chain", rolls=rolls), tmp_path / f"out{rolls}")
        for rolls in (False, True)
    }
    assert found[False].instructions == found[False].rows == instructions
    assert found[True].rows < instructions / 5
    images = {rolls: open_image(tmp_path / f"out{rolls}") for rolls in found}
    assert all(check(image).proved for image in images.values())
    outputs = [
        SequentialChip(image, RunOptions(sequential=True, engine=engine), ()).run(given(image))
        for image in images.values()
        for engine in ("step", "batch")
    ]
    for output in outputs:
        assert output.keys() == outputs[0].keys() and all(np.array_equal(output[k], outputs[0][k]) for k in output)
    assert all(array.any() for array in outputs[0].values())


@pytest.mark.full
def test_three_million_instructions(tmp_path):
    instructions = write_chain(tmp_path / "chain", 44, 58, 58)
    assert instructions > 3_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = import_program(ImportRequest(path=tmp_path / "chain"), tmp_path / "out")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert found.rows < 0.02 * instructions
    assert grown < 1_500_000  # KiB
    assert (tmp_path / "out" / FILE).stat().st_size < 20e6
    with power_on(tmp_path / "out", timeout=300) as chip:
        (output,) = chip.run(given(open_image(tmp_path / "out"))).values()
    assert output.any()
