"""A program of PIMCOMP for 56 cores: 107 thousand instructions, 4,262 sends; figures that both builds printed."""

import json
from pathlib import Path

import pytest
from pimsim_files import CONFIG, measured

from emu.interop.pim_isa.timing.time_program import time_program

PROGRAM = Path(__file__).parent / "pimcomp_56_cores.json.gz"
NETWORK = "network_mesh_64.json"
WITHIN = 1e-4  # ties among 56 cores of 64 groups: which starts first is a matter of addresses in the simulator
PRINTED = [  # window, simulator, ns, pJ
    (1, "upstream", 1_089_957, 63_370_055),
    pytest.param(4, "upstream", 1_077_197, 62_642_735, marks=pytest.mark.full),
    pytest.param(16, "upstream", 1_077_197, 62_642_735, marks=pytest.mark.full),
    pytest.param(1, "fork", 1_090_079, 63_377_009, marks=pytest.mark.full),
    pytest.param(4, "fork", 1_077_262, 62_646_440, marks=pytest.mark.full),
    pytest.param(16, "fork", 1_077_262, 62_646_440, marks=pytest.mark.full),
]


@pytest.fixture
def chip(tmp_path):
    """The simulator's own latency configuration for 64 cores, with this window; its file."""

    def write(window):
        config = json.loads(CONFIG.read_text())
        config["chip_config"]["core_cnt"] = 64
        config["chip_config"]["core_config"]["rob_size"] = window
        config["chip_config"]["network_config"]["net_config_file_path"] = NETWORK
        (tmp_path / NETWORK).write_text(json.dumps(measured()["networks"][NETWORK]))
        (tmp_path / "config.json").write_text(json.dumps(config))
        return tmp_path / "config.json"

    return write


@pytest.mark.parametrize(("window", "simulator", "ns", "pj"), PRINTED)
def test_as_printed(chip, window, simulator, ns, pj):
    timed = time_program(PROGRAM, chip(window), simulator)
    assert (timed.run.executor, timed.run.ties) == ("step", "upstream")
    assert timed.run.latency / 1000 == pytest.approx(ns, rel=WITHIN)
    assert timed.energy.total == pytest.approx(pj, rel=WITHIN)


def test_the_fast_executor(chip):
    timed = time_program(PROGRAM, chip(1), executor="fast")
    assert timed.run.latency / 1000 == pytest.approx(1_089_957, rel=WITHIN)
    assert timed.energy.total == pytest.approx(63_370_055, rel=WITHIN)
    assert sum(core.columns.count for core in timed.setup.cores) == 106_958
