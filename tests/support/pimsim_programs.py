"""Random PIM-ISA programs and chips, for properties of the executors, and what can be compared of their runs."""

import tempfile
from pathlib import Path

from hypothesis import strategies as st
from pimsim_files import write_files

from emu.errors import ProgramError
from emu.interop.pim_isa.format.config_keys import read_chip
from emu.interop.pim_isa.format.reader import read_program
from emu.interop.pim_isa.timing.setup import SIMULATORS, set_up

NETWORK_NAME = "network.json"
TWO = ("vvadd", "vvsub", "vvmul", "vvdmul", "vvmax", "vvsll", "vvsra", "vavg", "vrsu", "vrsl")
ONE = ("vrelu", "vtanh", "vsigm")
ARITHMETIC = ("sadd", "ssub", "smul", "saddi", "smuli")
LENGTHS = st.sampled_from([0, 1, 2, 3, 7, 8, 16, 17, 33, 64, 130])


def offsets():
    return st.fixed_dictionaries({"offset_select": st.integers(0, 7), "offset_value": st.integers(-2, 9)})


@st.composite
def private(draw, registers):
    """One instruction that needs no other core; registers are few, so that values and addresses meet."""
    kind = draw(st.sampled_from("sssssssawvvvVVmmMlcL"))
    register = st.integers(0, registers - 1)
    rd, rs1, rs2 = draw(register), draw(register), draw(register)
    if kind == "s":
        return {"op": "sldi", "rd": rd, "imm": draw(st.sampled_from([0, 1, 16, 40, 64, 100, 4096, -1]))}
    if kind == "a":
        op = draw(st.sampled_from(ARITHMETIC))
        return {"op": op, "rd": rd, "rs1": rs1, "rs2": rs2, "imm": draw(st.sampled_from([1, 4, 1 << 30]))}
    if kind == "w":
        return {"op": "setbw", "ibiw": draw(st.integers(0, 17)), "obiw": draw(st.sampled_from([1, 8, 9, 32]))}
    if kind in "mM":
        width = draw(st.sampled_from([1, 4, 8]))
        return {"op": "mvmul", "rd": rd, "rs1": rs1, "mbiw": width, "group": draw(st.integers(0, 2))}
    if kind in "vVc":
        names = {"v": TWO, "V": ONE, "c": ("vmv", "lmv")}[kind]
        op = draw(st.sampled_from(names))
        found = {"op": op, "rd": rd, "rs1": rs1, "len": draw(LENGTHS), "offset": draw(offsets())}
        return found | ({"rs2": rs2} if op in (*TWO, "vmv") else {})
    if kind == "L":
        return {"op": "sld", "rd": rd, "rs1": min(rs1, 30), "offset_value": draw(st.integers(0, 3))}
    return {"op": "lldi", "rd": rd, "imm": 3, "len": draw(LENGTHS), "offset": draw(offsets())}


@st.composite
def programs(draw, most_cores=4, most=40):
    """A program whose sends and receives match: what two cores do together is appended to both at once.

    Its events need not: a wait may never end. Every core ends with an operation, most of the time.
    """
    cores, registers = draw(st.integers(1, most_cores)), draw(st.sampled_from([2, 4, 32]))
    lists = {core: [{"op": "setbw", "ibiw": 8, "obiw": 8}] for core in range(cores)}
    size, event = LENGTHS, st.integers(0, 1)
    for _ in range(draw(st.integers(0, most))):
        core = draw(st.integers(0, cores - 1))
        kind = draw(st.sampled_from("pppppppsssgGe" if cores > 1 else "ppppgG"))
        other = draw(st.integers(0, cores - 1).filter(lambda number, core=core: number != core)) if kind in "se" else 0
        register = draw(st.integers(0, min(registers, 31) - 1))
        if kind == "p":
            lists[core].append(draw(private(registers)))
        elif kind == "s":
            amount = draw(size)
            lists[core].append({"op": "send", "rd": register, "core": other, "size": amount, "offset": draw(offsets())})
            lists[other].append({"op": "recv", "rd": register, "core": core, "size": amount, "offset": draw(offsets())})
        elif kind == "e":
            lists[core].append({"op": "sync", "core": other, "event_register": draw(event)})
            lists[other].append({"op": "wait", "event_register": draw(event), "wait_value": draw(st.integers(0, 1))})
        else:
            op = {"g": "ld", "G": "st"}[kind]
            register = min(register, 30)
            lists[core].append(
                {"op": op, "rd": register, "rs1": register, "size": draw(size), "offset": draw(offsets())}
            )
    if draw(st.integers(0, 9)):
        for instructions in lists.values():
            instructions.append({"op": "lldi", "rd": 0, "imm": 0, "len": draw(LENGTHS)})
    groups = {f"core{core}": [1, 3, 1] for core in lists}
    config = {"core_cnt": cores, "array_group_map": groups}
    return {"config": config, **{f"core{core}": instructions for core, instructions in lists.items()}}


def _memory(draw, whole):
    cycles = st.integers(0, 3)
    return {
        "data_width": draw(st.sampled_from([1, 8, 16, 64])),
        "period": draw(st.sampled_from([1, 2] if whole else [0.5, 0.71, 1, 1.07])),
        "write_latency_cycle": draw(cycles),
        "read_latency_cycle": draw(cycles),
    }


@st.composite
def chips(draw, window=None):
    """A configuration and its network; half of them with whole periods, where much ends exactly at a clock edge."""
    whole = draw(st.booleans())
    period = draw(st.sampled_from([1, 2] if whole else [0.5, 0.97, 1.13]))
    matrix = {
        "xbar_array_count": 64,
        "period": draw(st.sampled_from([1, 2] if whole else [0.78125, 1.03])),
        "pipeline_mode": draw(st.booleans()),
        "xbar_size": draw(st.sampled_from([[4, 4], [8, 2], [3, 5]])),
        "dac_count": draw(st.sampled_from([1, 4, 16])),
        "dac_resolution": draw(st.integers(1, 2)),
        "xbar_latency": draw(st.sampled_from([0, 1, 7.3])),
        "adc_count": draw(st.integers(1, 4)),
        "adc_latency_cycle": draw(st.integers(0, 3)),
    }
    core = {
        "period": period,
        "rob_size": window or draw(st.sampled_from([1, 2, 4, 16])),
        "vector_width": draw(st.sampled_from([1, 4, 16])),
        "vector_latency_cycle": draw(st.integers(0, 3)),
        "matrix_config": matrix,
        "local_memory_config": _memory(draw, whole),
    }
    nodes = [-10, *range(4)]
    latency = st.sampled_from([0, 1, 2, 3, 7] if whole else [0, 0.4, 1.5, 3.3])
    table = {str(a): {str(b): draw(latency) for b in nodes if b != a} for a in nodes}
    network = {"bus_width": draw(st.sampled_from([1, 8, 64])), "net_config_file_path": NETWORK_NAME}
    chip = {"core_cnt": 4, "core_config": core, "global_memory_config": _memory(draw, whole), "network_config": network}
    config = {"chip_config": chip, "sim_config": {"sim_mode": 1, "sim_time": 1}}
    return config, {"latency": table, "energy": {a: dict.fromkeys(row, 1.5) for a, row in table.items()}}


def prepared(program, chip, simulator="upstream"):
    """A program on a configuration with its network table, both as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        config, network = chip
        paths = write_files(Path(folder), program, config, NETWORK_NAME, network)
        return set_up(read_program(paths[0]), read_chip(paths[1]), SIMULATORS[simulator])


def outcome(run, *arguments):
    """What a run found, without the names of the executor and its order; or why it did not end."""
    try:
        found = run(*arguments)
    except ProgramError as error:
        return str(error)
    return found.finish, found.counts, found.flits
