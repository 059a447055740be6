"""Programs and configurations of pimsim-nn as files of tests."""

import gzip
import json
from functools import cache
from pathlib import Path

MEASURED = Path(__file__).parent.parent / "emu" / "interop" / "pim_isa" / "timing" / "measured.json.gz"


@cache
def measured():
    """Programs, configurations, and what the simulator printed for them."""
    return json.loads(gzip.decompress(MEASURED.read_bytes()))


@cache
def case_ids():
    """The names of the measured cases."""
    return [case["id"] for case in measured()["cases"]]


def write_case(folder, case):
    """The files of a measured case: program and configuration."""
    network = case["config"]["chip_config"]["network_config"]["net_config_file_path"]
    return write_files(folder, case["program"], case["config"], network, measured()["networks"][network])


def write_files(folder, program, config, network_name, network):
    """A program and a configuration with its network; the paths of the first two."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.json").write_text(json.dumps(program))
    (folder / "config.json").write_text(json.dumps(config))
    (folder / network_name).write_text(json.dumps(network))
    return folder / "program.json", folder / "config.json"


EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "pimsim"
PROGRAM, CONFIG = EXAMPLES / "two_cores.json", EXAMPLES / "latency_config.json"


def example():
    """The program of two cores that comes with the product, to be changed."""
    return json.loads(PROGRAM.read_text())


def written(folder, program):
    """A program as a file."""
    file = folder / "program.json"
    file.write_text(program if isinstance(program, str) else json.dumps(program))
    return file


def chip_file(folder, window=1, **core):
    """The example's configuration with another window and other settings of a core; a period of 1 ns."""
    config = json.loads(CONFIG.read_text())
    config["chip_config"]["core_config"] |= {"rob_size": window, **core}
    (folder / "network.json").write_text((EXAMPLES / "network.json").read_text())
    (folder / "chip.json").write_text(json.dumps(config))
    return folder / "chip.json"
