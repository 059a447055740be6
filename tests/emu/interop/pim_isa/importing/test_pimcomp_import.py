"""A program of PIMCOMP-NN for 56 cores, with data: imported, proved, run in processes and one instruction at a time."""

import json
from pathlib import Path

import numpy as np
import pytest
from pimsim_files import CONFIG, measured

from emu.check import check
from emu.image.reader import open_image
from emu.interop.pim_isa.importing.import_program import ImportRequest, import_program
from emu.interop.pim_isa.importing.raw_program import kept_chip, read_raw
from emu.interop.pim_isa.timing.time_program import time_columns, time_program
from launch.chips.power import power_on
from launch.chips.sequential import SequentialChip
from launch.processes.options import RunOptions

PROGRAM = Path(__file__).parents[1] / "timing" / "pimcomp_56_cores.json.gz"
NETWORK = "network_mesh_64.json"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The latency configuration for 64 cores with its network."""
    folder = tmp_path_factory.mktemp("chip")
    chip = json.loads(CONFIG.read_text())
    chip["chip_config"]["core_cnt"] = 64
    chip["chip_config"]["network_config"]["net_config_file_path"] = NETWORK
    (folder / NETWORK).write_text(json.dumps(measured()["networks"][NETWORK]))
    (folder / "config.json").write_text(json.dumps(chip))
    return folder / "config.json"


@pytest.fixture(scope="module")
def imported(config, tmp_path_factory: pytest.TempPathFactory):
    out = tmp_path_factory.mktemp("imported") / "out"
    return out, import_program(ImportRequest(path=PROGRAM, arch=config), out)


def test_what_is_told(imported):
    _, found = imported
    assert (found.instructions, found.crossbars) == (106_958, 3_541)
    assert found.rows < found.instructions * 0.7 and found.executed < found.instructions / 3
    assert [warning.split(":")[0] for warning in found.warnings] == [
        "core 0, instruction 9 (ld)",
        "core 0, instruction 22 (mvmul)",
    ]


def test_every_property_is_proved(imported):
    assert check(open_image(imported[0])).proved


@pytest.fixture(scope="module")
def stepped(imported):
    """What it computes of its own data, one instruction at a time."""
    outputs = in_turn(imported, "step")
    assert list(outputs) == ["stored_0"] and outputs["stored_0"].any()
    return outputs["stored_0"]


def in_turn(imported, engine):
    image = open_image(imported[0])
    return SequentialChip(image, RunOptions(sequential=True, engine=engine), ()).run(given(image))


def given(image):
    return {name: array[0] for name, array in image.default_inputs().items()}


def test_plans_compute_what_single_steps_do(imported, stepped):
    assert np.array_equal(in_turn(imported, "batch")["stored_0"], stepped)


@pytest.mark.full
def test_processes_compute_what_single_steps_do(imported, stepped):
    with power_on(imported[0], timeout=120) as chip:
        assert chip.cores == 56
        outputs = chip.run(given(open_image(imported[0])))
    assert list(outputs) == ["stored_0"] and np.array_equal(outputs["stored_0"], stepped)


def test_time_is_that_of_the_program(imported, config):
    out, _ = imported
    kept = time_columns(read_raw(out), kept_chip(out), executor="fast").to_dict()
    assert kept == time_program(PROGRAM, config, executor="fast").to_dict()
