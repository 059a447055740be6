"""As many cores as a machine takes, over four agents: every message goes where it should, and nothing stays."""

import numpy as np
import pytest

from launch.bench.programs import RESULT, went_round, write_ring
from launch.bench.scale_page import OF_CORE
from launch.chips.power import power_on
from launch.system.process_limits import available_memory


@pytest.mark.parametrize("cores", [66, *(pytest.param(many, marks=pytest.mark.full) for many in (1024, 4096))])
def test_a_ring_of_many_cores_over_four_agents(tmp_path, cores):
    need, free = cores * OF_CORE, available_memory()
    if need > free:
        pytest.skip(f"{cores} cores take up to {need >> 20} MiB of memory, and {free >> 20} MiB are free")
    image = write_ring(tmp_path, cores)
    with power_on(image, hosts="local:4", host_cores="block", join_timeout=300, timeout=300) as chip:
        assert not chip.on_hosts.cores[0]  # agents do the work
        for _ in range(2):
            assert np.array_equal(chip.run({})[RESULT], went_round(cores))
        assert sum(map(len, chip.on_hosts.cores)) == cores
        assert sum(name.startswith("core") for name in chip.processes) == cores
