"""Programs in the style of PIMCOMP: unrolled convolutions, most of them register writes."""

import json
import os
import subprocess
import sys

import pytest
from pimsim_files import CONFIG, EXAMPLES

from emu.interop.pim_isa.format.config_keys import read_chip
from emu.interop.pim_isa.format.reader import read_program
from emu.interop.pim_isa.timing.fast import run_fast
from emu.interop.pim_isa.timing.setup import SIMULATORS, set_up
from emu.interop.pim_isa.timing.step import run_step
from launch.bench.pimsim_program import write_pimcomp_style

CORES = 44


@pytest.fixture
def chip(tmp_path):
    """The example's configuration for 44 cores, each as far from any other."""
    config = json.loads(CONFIG.read_text())
    config["chip_config"]["core_cnt"] = CORES
    nodes = [-10, *range(CORES)]
    table = {str(a): {str(b): 9 for b in nodes if a != b} for a in nodes}
    (tmp_path / "network.json").write_text(json.dumps({"latency": table, "energy": table}))
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path / "config.json"


@pytest.mark.parametrize("name", ["p.json", "p.json.gz"])
def test_both_executors_on_a_small_one(tmp_path, chip, name):
    count = write_pimcomp_style(tmp_path / name, cores=6, rounds=12, indent=2)
    program = read_program(tmp_path / name)
    assert program.instructions == count and not program.warnings
    setup = set_up(program, read_chip(chip), SIMULATORS["upstream"])
    fast, step = run_fast(setup), run_step(setup, upstream_order=False)
    assert (fast.finish, fast.counts, fast.flits) == (step.finish, step.counts, step.flits)
    assert run_step(setup).latency == pytest.approx(fast.latency, rel=2e-3)


@pytest.mark.full
def test_three_million_instructions_in_less_than_a_gigabyte(tmp_path, chip):
    count = write_pimcomp_style(tmp_path / "p.json.gz", cores=CORES)
    assert count > 3_000_000
    code = (
        "import re, sys; from reram_emu import main\n"
        "try: main()\n"
        "finally:\n"
        "    status = open('/proc/self/status').read()\n"  # what getrusage tells has the process of the tests in it
        "    print(int(re.search(r'VmHWM:\\s+(\\d+)', status)[1]) << 10, file=sys.stderr)"
    )
    arguments = ["time", str(tmp_path / "p.json.gz"), "--arch", str(chip), "--json"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(EXAMPLES.parents[1]), os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=environment)
    found = json.loads(done.stdout)
    assert (found["instructions"], found["executor"]) == (count, "fast")
    assert int(done.stderr.splitlines()[-1]) < 1e9
