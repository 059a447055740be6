"""Random sets as processes: what is proved gives the bits of one sample after the other, what fails the same words."""

from random import Random

import numpy as np
import pytest
from event_sets import INPUT, random_text

from emu.asm.assembler import assemble
from emu.chaos.spec import Chaos
from emu.check import Outcome, check
from emu.errors import EmuError, ProgramError
from emu.image.reader import open_image
from emu.noc.ports.port import FlowControl
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential

FLOWS = ("rendezvous", "credits:1", "credits:3")
SAMPLES = 5


def outcome(start, image, flow, samples, **options):
    """Outputs of the samples that came out, and text and exit code of what ended the run."""
    found = []
    try:
        with start(image, flow=flow, timeout=60, **options) as chip:
            found = []
            for result in chip.stream(samples):
                found.append(result.outputs["y"].tobytes())
    except EmuError as error:
        return found, str(error), error.exit_code
    return found, "", 0


def compare(zygotes, folder, seed):
    """Whether set `seed` came to its end; None if no loader accepts it, or its outcome depends on timing."""
    text = folder / f"{seed}.asm"
    text.write_text(random_text(seed))
    try:
        assemble(text, folder / str(seed))
    except ProgramError:
        return None
    random = Random(seed)
    samples = [{"x": np.frombuffer(random.randbytes(INPUT), np.int32).reshape(1, 8)} for _ in range(SAMPLES)]
    flow = FLOWS[seed % len(FLOWS)]
    options = {"chaos": Chaos(("delay:0.3,3", "yield:0.3"), seed)} if seed % 2 else {}
    report = check(open_image(folder / str(seed)), FlowControl.parse(flow))
    if report.of("races").outcome is not Outcome.PROVED:
        return None
    expected = outcome(power_on_sequential, folder / str(seed), flow, samples)
    assert outcome(power_on, folder / str(seed), flow, samples, zygotes=zygotes, **options) == expected
    assert (expected[2] == 0) == report.proved
    return report.proved


@pytest.mark.full
def test_processes_do_what_one_process_does(emu_zygotes, tmp_path):
    ends = [compare(emu_zygotes, tmp_path, seed) for seed in range(16)]
    assert ends.count(True) > 3 and ends.count(False) > 2


@pytest.mark.full
@pytest.mark.parametrize("block", range(12))
def test_many_sets_as_processes_do_what_one_process_does(emu_zygotes, tmp_path, block):
    ends = [compare(emu_zygotes, tmp_path, 5000 + 25 * block + seed) for seed in range(25)]
    assert ends.count(True) > 5 and ends.count(False) > 1
