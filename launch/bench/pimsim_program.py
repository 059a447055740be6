"""Programs as PIMCOMP writes them: convolution loops unrolled, a few register writes in front of every operation."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Instruction = dict[str, Any]
NO_OFFSET = {"offset_select": 0, "offset_value": 0}
GLOBAL_MEMORY = -10  # its name in the network
NETWORK_FILE = "network.json"
CHIP = {
    "core_config": {
        "rob_size": 1,
        "period": 1,
        "matrix_config": {
            "xbar_array_count": 64,
            "period": 1,
            "pipeline_mode": True,
            "dac_resolution": 1,
            "dac_count": 128,
            "xbar_size": [128, 128],
            "cell_precision": 8,
            "xbar_latency": 30,
            "sample_hold_latency_cycle": 1,
            "adc_resolution": 8,
            "adc_latency_cycle": 10,
            "adc_count": 2,
            "shift_adder_latency_cycle": 1,
            "output_buffer_latency_cycle": 1,
        },
        "vector_width": 16,
        "vector_latency_cycle": 4,
        "local_memory_config": {"data_width": 64, "period": 1, "write_latency_cycle": 1, "read_latency_cycle": 1},
        "global_memory_switch_id": GLOBAL_MEMORY,
    },
    "global_memory_config": {"data_width": 16, "period": 1, "write_latency_cycle": 1, "read_latency_cycle": 1},
    "global_memory_switch_id": GLOBAL_MEMORY,
}


def write_chip(path: Path, cores: int) -> None:
    """A configuration of so many cores, each as far from any other, and the table of its network beside it."""
    network = {"bus_topology": "mesh", "bus_width": 8, "layout": [1, cores], "net_config_file_path": NETWORK_FILE}
    chip = {**CHIP, "network_config": network, "core_cnt": cores}
    path.write_text(json.dumps({"chip_config": chip, "sim_config": {"sim_mode": 1, "sim_time": 1}}))
    nodes = [GLOBAL_MEMORY, *range(cores)]
    table = {str(a): {str(b): 9 for b in nodes if a != b} for a in nodes}
    path.with_name(NETWORK_FILE).write_text(json.dumps({"latency": table, "energy": table}))


def write_pimcomp_style(
    path: Path, cores: int = 44, rounds: int = 1897, products: int = 3, indent: int | None = None
) -> int:
    """A program file (gzip if its name ends so), written as it is made; how many instructions it has.

    As they stand, the numbers are those of a ResNet-18: 3.1 million instructions, 81,571 of them sends.
    """
    count = 0
    with gzip.open(path, "wt") if path.suffix == ".gz" else path.open("w") as file:
        groups = {f"core{core}": [1] * products for core in range(cores)}
        file.write('{"config": ' + json.dumps({"core_cnt": cores, "array_group_map": groups}))
        for core in range(cores):
            file.write(f',\n"core{core}": [')
            for place, instruction in enumerate(_core(core, cores, rounds, products)):
                file.write((", " if place else "") + json.dumps(instruction, indent=indent))
                count += 1
            file.write("]")
        file.write("}\n")
    return count


def _core(core: int, cores: int, rounds: int, products: int) -> Iterator[Instruction]:
    """Instructions of one core of a pipeline: per round it receives a row, works on it, and sends one on."""
    yield {"op": "setbw", "ibiw": 8, "obiw": 8}
    for number in range(rounds):
        address = 64 * (number % 512)
        if core:
            yield from _registers(address)
            yield {"op": "recv", "rd": 0, "core": core - 1, "size": 64, "offset": NO_OFFSET}
        else:
            yield from _registers(address, 65536 + 64 * number)
            yield {"op": "ld", "rd": 0, "rs1": 1, "size": 64, "offset": NO_OFFSET}
        for product in range(products):
            yield from _registers(32768 + 128 * product, address)
            yield {"op": "lmv", "rd": 0, "rs1": 1, "len": 9 + product, "offset": NO_OFFSET}
            yield from _registers(49152, 32768 + 128 * product)
            yield {"op": "mvmul", "rd": 0, "rs1": 1, "mbiw": 8, "relu": 0, "group": product}
            yield from _registers(49152, 49152, 57344)
            yield {"op": "vvadd", "rd": 0, "rs1": 1, "rs2": 2, "len": 16 + core % 5, "offset": NO_OFFSET}
        yield from _registers(49152, 49152)
        yield {"op": "vrelu", "rd": 0, "rs1": 1, "len": 64, "offset": NO_OFFSET}
        yield from _registers(49152)
        if core < cores - 1:
            yield {"op": "send", "rd": 0, "core": core + 1, "size": 64, "offset": NO_OFFSET}
        else:
            yield from _registers(0, 0, 49152)[1:]
            yield {"op": "st", "rd": 0, "rs1": 2, "size": 64, "offset": NO_OFFSET}


def _registers(*values: int) -> list[Instruction]:
    return [{"op": "sldi", "rd": place, "imm": value} for place, value in enumerate(values)]
