"""Programs as PIMCOMP writes them: convolution loops unrolled, a few register writes in front of every operation."""

import gzip
import json
from pathlib import Path

NO_OFFSET = {"offset_select": 0, "offset_value": 0}


def _core(core, cores, rounds, products):
    """Instructions of one core of a pipeline: per round it receives a row, works on it, and sends one on."""

    def registers(*values):
        return [{"op": "sldi", "rd": place, "imm": value} for place, value in enumerate(values)]

    yield {"op": "setbw", "ibiw": 8, "obiw": 8}
    for number in range(rounds):
        address = 64 * (number % 512)
        if core:
            yield from registers(address)
            yield {"op": "recv", "rd": 0, "core": core - 1, "size": 64, "offset": NO_OFFSET}
        else:
            yield from registers(address, 65536 + 64 * number)
            yield {"op": "ld", "rd": 0, "rs1": 1, "size": 64, "offset": NO_OFFSET}
        for product in range(products):
            yield from registers(32768 + 128 * product, address)
            yield {"op": "lmv", "rd": 0, "rs1": 1, "len": 9 + product, "offset": NO_OFFSET}
            yield from registers(49152, 32768 + 128 * product)
            yield {"op": "mvmul", "rd": 0, "rs1": 1, "mbiw": 8, "relu": 0, "group": product}
            yield from registers(49152, 49152, 57344)
            yield {"op": "vvadd", "rd": 0, "rs1": 1, "rs2": 2, "len": 16 + core % 5, "offset": NO_OFFSET}
        yield from registers(49152, 49152)
        yield {"op": "vrelu", "rd": 0, "rs1": 1, "len": 64, "offset": NO_OFFSET}
        yield from registers(49152)
        if core < cores - 1:
            yield {"op": "send", "rd": 0, "core": core + 1, "size": 64, "offset": NO_OFFSET}
        else:
            yield from registers(0, 0, 49152)[1:]
            yield {"op": "st", "rd": 0, "rs1": 2, "size": 64, "offset": NO_OFFSET}


def write_pimcomp_style(path, cores=44, rounds=1897, products=3, indent=None):
    """A program file (gzip if its name ends so), written as it is made; how many instructions it has.

    As they stand, the numbers are those of a ResNet-18: 3.2 million instructions, 81,571 of them sends.
    """
    count = 0
    with (gzip.open if Path(path).suffix == ".gz" else open)(path, "wt") as file:
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
