"""Runs an exported PIM-ISA program on its own understanding: one instruction per core in turn, plain NumPy.

It shares no code with the product: it reads the JSON of each core, crossbars and global memory as any other tool could.
What was never written holds 0xFF bytes (not a number, as floats), so that reading it shows.
"""

import gzip
import json
from pathlib import Path

import numpy as np

LOCAL = 1 << 22
CODES = {"f32": "<f4", "f16": "<f2", "i8": "i1", "u8": "u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "i64": "<i8"}
TYPES = {name: np.dtype(code) for name, code in CODES.items()}
USUAL = {"8": "i8", "16": "i16", "32": "i32", "64": "i64"}
ELEMENTWISE = {
    "vvadd": np.add,
    "vvsub": np.subtract,
    "vvmul": np.multiply,
    "vvmax": np.maximum,
    "vvsll": np.left_shift,
    "vvsra": np.right_shift,
    "vvdmul": lambda a, b: np.add.accumulate(a * b)[-1:],
    "vtanh": np.tanh,
    "vrelu": lambda x: np.maximum(x, x.dtype.type(0)),
    "vsigm": lambda x: 1 / (1 + np.exp(-x.astype(np.float64))),
}


def run_program(folder, memory=None):
    """Global memory (uint8) after the program in `folder` has run, and its config; `memory`: what it begins with."""
    config, programs = _read(Path(folder))
    memory = np.fromfile(Path(folder) / "memory.bin", np.uint8) if memory is None else memory
    cores = {number: Core(Path(folder), number, config, program, memory) for number, program in programs.items()}
    while waiting := [core for core in cores.values() if core.at < len(core.program)]:
        assert sum(core.step(cores) for core in waiting), f"deadlock: {[(c.number, c.at) for c in waiting]}"
    return memory, config


def tensor(memory, spec):
    """A tensor that `config` describes, in the order of memory (channels last), if it is one piece."""
    (tile,) = spec["tiles"]
    sizes, kind = [high - low for low, high in tile["box"]], TYPES[spec["dtype"]]
    return memory[tile["address"] :][: int(np.prod(sizes)) * kind.itemsize].view(kind).reshape(sizes)


def _read(folder):
    if (folder / "config.json").exists():
        config = json.loads((folder / "config.json").read_text())
        files = {number: folder / f"core_{number}.json" for number in range(config["core_cnt"])}
        return config, {number: json.loads(file.read_text()) for number, file in files.items() if file.exists()}
    packed = folder / "program.json.gz"
    whole = json.loads(
        gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / "program.json").read_text()
    )
    return whole.pop("config"), {int(key.removeprefix("core")): program for key, program in whole.items()}


class Core:
    """One core: registers, local memory, event counters, and where it is in its program."""

    def __init__(self, folder, number, config, program, far):
        self.number, self.program, self.far = number, program, far
        self.at, self.registers, self.events, self.widths = 0, [0] * 32, [0] * 32, (0, 0)
        self.local = np.full(LOCAL, 0xFF, np.uint8)
        said, name = config.get("reram_emu", {}), f"core{number}"
        self.types = [{int(width): TYPES[kind] for width, kind in (USUAL | said.get("types", {})).items()}] * 2
        changes = said.get("changes", {}).get(name)
        self.changes = np.load(folder / changes).tolist() if changes else []
        self.sizes, self.shape, self.bits = (
            config["array_group_map"][name],
            config["xbar_size"],
            config["cell_precision"],
        )
        packed, kinds = folder / f"core_{number}_weights.json", said.get("weights", {}).get(name, [])
        cells = json.loads(packed.read_text()) if packed.exists() else []
        self.cells = [np.array(one, TYPES[kind]) for one, kind in zip(cells, kinds, strict=False)]
        self.cells = self.cells or [np.load(folder / f"core_{number}_{k}.npy") for k in range(len(self.sizes))]

    def step(self, cores):
        """Run one instruction if it can be; whether it was (a core may have ended within the turn)."""
        i = self.program[self.at] if self.at < len(self.program) else {"op": "recv"}
        while self.changes and self.changes[0][0] <= self.at:
            kinds = [list(TYPES.values())[code] for code in self.changes.pop(0)[1:]]
            self.types = [types | {8 * kind.itemsize: kind} for types, kind in zip(self.types, kinds, strict=True)]
        if i["op"] == "send":
            other = cores[i["core"]]
            there = other.program[other.at] if other.at < len(other.program) else {}
            if there.get("op") != "recv" or there["core"] != self.number:
                return False
            assert i["size"] == there["size"]
            source, target = self.local[self.registers[i["rd"]] :], other.local[other.registers[there["rd"]] :]
            target[: i["size"]] = source[: i["size"]]
            other.at += 1
        elif i["op"] == "recv" or (i["op"] == "wait" and self.events[i["event_register"]] < i["wait_value"]):
            return False
        elif i["op"] == "sync":
            cores[i["core"]].events[i["event_register"]] += 1
        elif i["op"] == "wait":
            self.events[i["event_register"]] -= i["wait_value"]
        else:
            self.compute(i["op"], i, *[self.registers[i.get(name, 0)] for name in ("rd", "rs1", "rs2")])
        self.at += 1
        return True

    def get(self, address, count, stride=1):
        """`count` elements of local memory, of the type of inputs."""
        kind = self.types[0][self.widths[0]]
        size = kind.itemsize
        return np.concatenate([self.local[address + k * stride * size :][:size] for k in range(count)]).view(kind)

    def compute(self, op, i, target, first, second):
        assert not i.get("offset", {}).get("offset_select"), "the export writes no offsets"
        if op == "setbw":
            self.widths = i["ibiw"], i["obiw"]
        elif op == "sldi":
            self.registers[i["rd"]] = i["imm"]
        elif op in ("ld", "st"):
            pair = i["rs1" if op == "ld" else "rd"]
            far = (self.registers[pair] << 32) + (self.registers[pair + 1] & 0xFFFFFFFF)
            here, away = self.local[target if op == "ld" else first :][: i["size"]], self.far[far:][: i["size"]]
            (here if op == "ld" else away)[:] = away if op == "ld" else here
        elif op in ("lldi", "lmv"):
            self.local[target:][: i["len"]] = i["imm"] if op == "lldi" else self.local[first:][: i["len"]].copy()
        elif op == "mvmul":
            cells, (rows, cols) = self.cells[i["group"]], self.shape
            kind = "f8" if cells.dtype.kind == "f" else "i8"
            whole = np.zeros((rows, self.sizes[i["group"]] * (self.bits * cols // i["mbiw"])), kind)
            whole[: cells.shape[0], : cells.shape[1]] = cells
            total = self.get(first, rows).astype(kind) @ whole
            self.put(target, np.maximum(total, 0) if i["relu"] else total)
        elif op == "vmv":
            self.local[target:][: i["len"] * self.widths[0] // 8] = self.get(first, i["len"], second).view(np.uint8)
        elif op == "vavg":
            self.put(target, np.add.accumulate(self.get(first, i["len"], second), dtype="f8")[-1:] / i["len"])
        elif op in ("vrsu", "vrsl"):
            bounded = {"vrsu": np.minimum, "vrsl": np.maximum}[op](self.get(first, i["len"]).astype("f8"), second)
            self.put(target, bounded, rounds=True)
        else:
            given = [self.get(self.registers[i[field]], i["len"]) for field in ("rs1", "rs2") if field in i]
            self.put(target, ELEMENTWISE[op](*given))

    def put(self, address, values, rounds=False):
        """Elements of the type of outputs into local memory."""
        kind = self.types[1][self.widths[1]]
        if rounds and kind.kind != "f":
            values = np.clip(np.rint(values), np.iinfo(kind).min, np.iinfo(kind).max)
        self.local[address:][: len(values) * kind.itemsize] = values.astype(kind).view(np.uint8)
