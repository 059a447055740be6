"""Random PIM-ISA programs that compute with data: every access lies in memory, every message has its receiver."""

import json

import numpy as np
from hypothesis import strategies as st

SHAPE, CELL_BITS, SIZES = (6, 4), 8, [1, 2]  # of crossbars; crossbars of the array groups of every core
SPACE = 512  # bytes of local memory that instructions meet in
SEEN = 640  # bytes of it that every core stores in the end
FAR = 4096  # where that is in global memory; below are inputs
LENGTHS = st.sampled_from([0, 1, 2, 3, 5, 8, 13])
TWO = ("vvadd", "vvsub", "vvmul", "vvdmul", "vvmax", "vvsll", "vvsra")
ONE = ("vrelu", "vtanh", "vsigm")


@st.composite
def steps(draw, arithmetic):
    """One operation with the scalar instructions before it: a list of instructions."""
    address = st.integers(40, SPACE - 1) | st.integers(3, 8).map(lambda k: 16 * k)  # the latter meet often
    rd, rs1, rs2 = draw(st.permutations(range(1, 9)))[:3]
    offset = {"offset_select": draw(st.integers(0, 7)), "offset_value": draw(st.integers(-3, 5))}
    kind = draw(st.sampled_from("222111mmvcaGLswl"))
    if kind == "w":
        widths = st.sampled_from([1, 4, 8, 12, 16, 32, 64])
        return [{"op": "setbw", "ibiw": draw(widths), "obiw": draw(widths)}]
    found = [{"op": "sldi", "rd": r, "imm": draw(address)} for r in (rd, rs1, rs2)]
    if arithmetic and draw(st.booleans()):
        found += [{"op": "saddi", "rd": rd, "rs1": rd, "imm": draw(st.integers(0, 9))}]
        found += [{"op": "smuli", "rd": 9, "rs1": rd, "imm": 3}, {"op": "ssub", "rd": rs2, "rs1": 9, "rs2": rd}]
    length = draw(LENGTHS)
    if kind == "2":
        op = draw(st.sampled_from(TWO))
        return [*found, {"op": op, "rd": rd, "rs1": rs1, "rs2": rs2, "len": length, "offset": offset}]
    if kind == "1":
        op = draw(st.sampled_from(ONE))
        return [*found, {"op": op, "rd": rd, "rs1": rs1, "len": length, "offset": offset}]
    if kind == "m":
        given = {"mbiw": 8, "relu": draw(st.integers(0, 1)), "group": draw(st.integers(0, 1))}
        return [*found, {"op": "mvmul", "rd": rd, "rs1": rs1, **given}]
    if kind == "v":
        found[2]["imm"] = draw(st.integers(-4, 4))
        found[1]["imm"] += 8 * 12 * 4 if found[2]["imm"] < 0 else 0
        op = draw(st.sampled_from(["vmv", "vavg"]))
        given = {"len": max(1, length)} | ({"offset": offset} if op == "vavg" else {})
        return [*found[:3], {"op": op, "rd": rd, "rs1": rs1, "rs2": rs2, **given}]
    if kind == "c":
        found[2]["imm"] = draw(st.integers(-200, 200))
        op = draw(st.sampled_from(["vrsu", "vrsl"]))
        return [*found[:3], {"op": op, "rd": rd, "rs1": rs1, "rs2": rs2, "len": length, "offset": offset}]
    if kind == "a":
        return [*found, {"op": "lmv", "rd": rd, "rs1": rs1, "len": length, "offset": offset}]
    if kind == "G":
        pair = [{"op": "sldi", "rd": 10, "imm": 0}, {"op": "sldi", "rd": 11, "imm": draw(st.integers(0, 900))}]
        return [*found, *pair, {"op": "ld", "rd": rd, "rs1": 10, "size": length, "offset": offset}]
    if kind == "s":
        return [{"op": "setbw", "ibiw": 8, "obiw": 8}]
    return [*found, {"op": "lldi", "rd": rd, "imm": draw(st.integers(-1, 300)), "len": length, "offset": offset}]


@st.composite
def programs(draw, most_cores=3, most=14, arithmetic=True, loads=True):
    """A program: what two cores do together is appended to both; some steps are repeated with other addresses."""
    cores = draw(st.integers(1, most_cores))
    lists = {core: [{"op": "setbw", "ibiw": 8, "obiw": 8}] for core in range(cores)}
    for _ in range(draw(st.integers(1, most))):
        core = draw(st.integers(0, cores - 1))
        kind = draw(st.sampled_from("ppppprrse" if cores > 1 else "pppr"))
        if kind in "pr":
            body = [i for _ in range(draw(st.integers(1, 3))) for i in draw(steps(arithmetic))]
            trips, step = (draw(st.integers(2, 6)), draw(st.integers(-3, 9))) if kind == "r" else (1, 0)
            for trip in range(trips):
                lists[core] += [moved(i, trip * step) for i in body]
            continue
        other = draw(st.integers(0, cores - 1).filter(lambda number, core=core: number != core))
        if kind == "e":
            lists[core].append({"op": "sync", "core": other, "event_register": core})
            lists[other].append({"op": "wait", "event_register": core, "wait_value": 1})
            continue
        at, size = draw(st.integers(0, SPACE - 1)), draw(LENGTHS)
        for here, there, op in ((core, other, "send"), (other, core, "recv")):
            lists[here] += [{"op": "sldi", "rd": 3, "imm": at}, {"op": op, "rd": 3, "core": there, "size": size}]
    if loads and draw(st.booleans()):
        lists[0] += loaded(draw)
    for core, instructions in lists.items():
        instructions += stores(core)
    config = {"core_cnt": cores, "array_group_map": {f"core{core}": SIZES for core in lists}}
    config |= {"xbar_size": list(SHAPE), "cell_precision": CELL_BITS, "xbar_array_count": 64}
    return {"config": config, **{f"core{core}": instructions for core, instructions in lists.items()}}


def moved(instruction, distance):
    """The same with another address, where it sets one; never below 0."""
    if instruction["op"] != "sldi" or instruction["rd"] >= 10:
        return dict(instruction)
    return instruction | {
        "imm": max(0, instruction["imm"] + distance) if instruction["imm"] >= 0 else instruction["imm"]
    }


def loaded(draw):
    """A register from global memory (one of the first 16 bytes of zeros) that becomes an address."""
    return [
        {"op": "sldi", "rd": 12, "imm": 0},
        {"op": "sldi", "rd": 13, "imm": 1024 + 4 * draw(st.integers(0, 4))},
        {"op": "sld", "rd": 5, "rs1": 12, "offset_value": 4},
        {"op": "sldi", "rd": 6, "imm": draw(st.integers(0, 90))},
        {"op": "sadd", "rd": 7, "rs1": 5, "rs2": 6},
        {"op": "lldi", "rd": 7, "imm": 77, "len": draw(LENGTHS)},
        {"op": "lmv", "rd": 6, "rs1": 7, "len": 3},
    ]


def stores(core):
    """All that a core has, into global memory."""
    return [
        {"op": "sldi", "rd": 14, "imm": 0},
        {"op": "sldi", "rd": 15, "imm": FAR + core * SEEN},
        {"op": "sldi", "rd": 16, "imm": 0},
        {"op": "st", "rd": 14, "rs1": 16, "size": SEEN},
    ]


def contents(cores, seed):
    """Weights by (core, group), and the bytes of global memory: random, but for what registers are loaded from."""
    rng = np.random.default_rng(seed)
    outputs = CELL_BITS * SHAPE[1] // 8
    weights = {
        (core, group): rng.integers(-128, 128, (SHAPE[0], size * outputs), np.int8)
        for core in range(cores)
        for group, size in enumerate(SIZES)
    }
    memory = rng.integers(0, 256, FAR + cores * SEEN, np.uint8)
    memory[1024:1100] = np.tile(np.array([3, 0, 0, 0], np.uint8), 19)
    return weights, memory


def write(folder, program, weights, memory):
    """Files of all of it in an empty folder: program, weights beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.json").write_text(json.dumps(program))
    for (core, group), matrix in weights.items():
        np.save(folder / f"core_{core}_{group}.npy", matrix)
    memory.tofile(folder / "memory.bin")
    return folder / "program.json"
