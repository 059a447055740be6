"""Configurations: defaults, and every impossible value by its key."""

import json

import pytest
from pimsim_files import CONFIG, EXAMPLES

from emu.errors import ProgramError
from emu.interop.pim_isa.format.config import PimsimConfig
from emu.interop.pim_isa.format.config_keys import read_chip

CORE = ("chip_config", "core_config")
MATRIX, NETWORK = (*CORE, "matrix_config"), ("chip_config", "network_config")


def with_value(folder, path, value):
    """The example's configuration with one other value; its file."""
    config = json.loads(CONFIG.read_text())
    place = config
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    (folder / "network.json").write_text((EXAMPLES / "network.json").read_text())
    (folder / "c.json").write_text(json.dumps(config))
    return folder / "c.json"


def test_what_is_not_there_has_the_simulators_default(tmp_path):
    network = {"net_config_file_path": "network.json"}
    (tmp_path / "network.json").write_text('{"latency": {"0": {"-10": 2.5}}, "energy": {}}')
    (tmp_path / "c.json").write_text(json.dumps({"chip_config": {"network_config": network}}))
    chip = read_chip(tmp_path / "c.json")
    defaults = PimsimConfig()
    core, found = defaults.chip_config.core_config, chip.config.chip_config
    assert found.core_config == core and (core.rob_size, core.vector_width, core.vector_latency_cycle) == (1, 16, 8)
    matrix, memory = core.matrix_config, core.local_memory_config
    assert (matrix.period, matrix.xbar_size, matrix.cell_precision, matrix.xbar_latency) == (
        1 / 1.28,
        (128, 128),
        2,
        30,
    )
    assert (memory.data_width, memory.write_latency_cycle, memory.read_latency_cycle, memory.static_power) == (
        16,
        10,
        8,
        1,
    )
    assert (found.network_config.bus_width, found.global_memory_switch_id) == (16, -10)
    assert (chip.config.sim_config.sim_mode, chip.network.latency, chip.warnings) == (0, {(0, -10): 2.5}, ())


def test_the_file_counts(tmp_path):
    chip = read_chip(CONFIG).config.chip_config
    assert (chip.core_config.matrix_config.adc_count, chip.network_config.bus_width) == (2, 8)
    assert read_chip(with_value(tmp_path, (*CORE, "rob_size"), 4.0)).config.chip_config.core_config.rob_size == 4


def test_unknown_keys_are_warned_of(tmp_path):
    assert read_chip(with_value(tmp_path, (*CORE, "robsize"), 4)).warnings == (
        f"{tmp_path / 'c.json'}: key 'chip_config.core_config.robsize' is unknown and ignored",
    )


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ((*CORE, "period"), 0, "expected a number above 0, got 0"),
        ((*CORE, "period"), -1.5, "expected a number above 0, got -1.5"),
        ((*CORE, "period"), 1e-5, "1e-05 ns is less than half a picosecond, the unit of time"),
        ((*CORE, "period"), "1", "expected a number up to 1e+09, got '1'"),
        ((*CORE, "period"), True, "expected a number up to 1e+09, got True"),
        ((*CORE, "period"), 10**400, "expected a number up to 1e+09, got "),
        ((*CORE, "scalar_dynamic_power"), -1, "expected a number from 0, got -1"),
        ((*CORE, "rob_size"), 0, "expected an integer from 1 to 2147483647, got 0"),
        ((*CORE, "rob_size"), 1.5, "expected an integer from 1 to 2147483647, got 1.5"),
        ((*MATRIX, "dac_count"), 0, "expected an integer from 1 to 2147483647, got 0"),
        ((*MATRIX, "xbar_size"), [128], "expected 2 members, got 1"),
        ((*MATRIX, "pipeline_mode"), 1, "expected true or false, got 1"),
        (MATRIX, [], "expected an object, got []"),
        (("chip_config", "global_memory_config", "data_width"), 0, "expected an integer from 1"),
        ((*NETWORK, "net_config_file_path"), "", "name the file with the latencies and energies of the network"),
        ((*NETWORK, "net_config_file_path"), 3, "expected a string, got 3"),
        ((*NETWORK, "net_config_file_path"), "none.json", "'none.json' does not exist"),
        ((*NETWORK, "net_config_file_path"), "p(" * 9000, "does not exist beside the configuration"),
        ((*NETWORK, "net_config_file_path"), "a\0b", "does not exist beside the configuration"),
        ((*NETWORK, "net_config_file_path"), "a/" * 9000, "does not exist beside the configuration"),
        ((*NETWORK, "net_config_file_path"), "../network.json", "expected a file beside the configuration or below it"),
        ((*NETWORK, "net_config_file_path"), "/etc/passwd", "expected a file beside the configuration or below it"),
        (("sim_config", "sim_mode"), 2, "expected an integer from 0 to 1, got 2"),
        (("sim_config", "sim_time"), 0, "expected a number above 0, got 0"),
    ],
)
def test_impossible_values(tmp_path, path, value, sentence):
    with pytest.raises(ProgramError) as error:
        read_chip(with_value(tmp_path, path, value))
    assert f"c.json: {'.'.join(path)}" in str(error.value) and sentence in str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "not valid JSON"),
        ("{}", "key 'latency' is missing"),
        ('{"latency": {}}', "key 'energy' is missing"),
        ('{"latency": {"0": {"1": -1}}, "energy": {}}', "latency.0.1: expected a number from 0 to 1e+09, got -1"),
        ('{"latency": {"0": {"1": null}}, "energy": {}}', "latency.0.1: expected a number from 0 to 1e+09, got None"),
        ('{"latency": {}, "energy": {"a": {"1": 2}}}', "energy.a.1: nodes are called by whole numbers"),
        ('{"latency": {}, "energy": {"0": 2}}', "energy.0: expected an object, got 2"),
    ],
)
def test_bad_network_tables(tmp_path, text, sentence):
    file = with_value(tmp_path, (*CORE, "rob_size"), 1)
    (tmp_path / "network.json").write_text(text)
    with pytest.raises(ProgramError) as error:
        read_chip(file)
    assert f"network.json: {sentence}" in str(error.value)
