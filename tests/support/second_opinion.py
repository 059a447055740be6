"""A second opinion on PIM-ISA programs with data: one instruction per core in turn, plain NumPy, none of our code."""

import numpy as np

NAMES = ("f32", "f16", "i8", "u8", "i16", "u16", "i32", "i64")
TYPES = {name: np.dtype(f"<{name[0]}{int(name[1:]) // 8}") for name in NAMES}
USUAL = {"8": "i8", "16": "i16", "32": "i32", "64": "i64"}
ELEMENTWISE = {"vvadd": np.add, "vvsub": np.subtract, "vvmax": np.maximum, "vvmul": np.multiply}
WIDENING = ("vvmul", "vvsll", "vvsra", "vvdmul", "vavg", "vtanh", "vsigm", "vrsu", "vrsl")  # results of width obiw


def run(program, weights, memory, pairs=True, equal=False, changes=None, unwritten=0):
    """`memory` after `program`, as its file has it; `weights[core, group]` are matrices, smaller than the group or not.

    `pairs`: addresses of global memory are in two registers; `equal`: how a wait ends; `changes`: per core rows of
    instruction and both types from there on; `unwritten`: the byte that local memory is full of.
    """
    chip = {"weights": weights, "memory": memory, "pairs": pairs, "equal": equal, "unwritten": unwritten}
    cores = {k: Core(k, program, chip, (changes or {}).get(k, ())) for k in range(program["config"]["core_cnt"])}
    while waiting := [core for core in cores.values() if core.at < len(core.program)]:
        assert sum([core.step(cores) for core in waiting]), f"deadlock: {[(c.number, c.at) for c in waiting]}"
    return memory


def resized(values, kind):
    """Elements of another type: integers stay within its limits, fractions go to the nearest even number."""
    if kind.kind == "f":
        return values.astype(kind)
    whole = np.rint(values) if values.dtype.kind == "f" else values
    return np.clip(whole, np.iinfo(kind).min, np.iinfo(kind).max).astype(kind)


def shift(values, counts, left):
    """Shifts by fewer bits than none, or by all of them, leave nothing but (to the right) the sign."""
    legal = (counts >= 0) & (counts < values.dtype.itemsize * 8)
    kept = np.where(legal, counts, 0)
    made, beyond = (values << kept, 0) if left else (values >> kept, np.where(values < 0, -1, 0))
    return np.where(legal, made, beyond).astype(values.dtype)


class Core:
    """One core: registers, local memory, event counters, types of elements, and where it is in its program."""

    def __init__(self, number, program, chip, changes):
        self.number, self.program = number, program.get(f"core{number}", [])
        self.config, self.chip = program["config"], chip
        self.at, self.registers, self.events, self.widths = 0, [0] * 32, [0] * 32, (8, 8)
        self.local, self.changes = np.full(1 << 22, chip["unwritten"], np.uint8), [list(row) for row in changes]
        said = USUAL | self.config.get("reram_emu", {}).get("types", {})
        self.types = [{int(width): TYPES[kind] for width, kind in said.items()}] * 2

    def step(self, cores):
        """Run one instruction if it can be; whether it was (a core may have ended within the turn)."""
        i = self.program[self.at] if self.at < len(self.program) else {"op": "recv"}
        while self.changes and self.changes[0][0] <= self.at:
            kinds = [list(TYPES.values())[code] for code in self.changes.pop(0)[1:]]
            self.types = [types | {8 * kind.itemsize: kind} for types, kind in zip(self.types, kinds, strict=True)]
        event, wanted = i.get("event_register", 0), i.get("wait_value", 0)
        most = wanted if self.chip["equal"] else 1 << 31
        if i["op"] == "send":
            other = cores[i["core"]]
            there = other.program[other.at] if other.at < len(other.program) else {}
            if there.get("op") != "recv" or there["core"] != self.number:
                return False
            target = other.bytes(other.place(there, "rd", 1), there["size"])
            target[:] = self.bytes(self.place(i, "rd" if i.get("rd") else "rs1", 1), i["size"])
            other.at += 1
        elif i["op"] == "recv" or (i["op"] == "wait" and not wanted <= self.events[event] <= most):
            return False
        elif i["op"] == "sync":
            cores[i["core"]].events[event] += 1
        elif i["op"] == "wait":
            self.events[event] -= wanted
        else:
            self.compute(i["op"], i)
        self.at += 1
        return True

    def place(self, i, field, bit, scale=1, pair=False):
        """The address in a register, or in two, with the offset if its bit is set."""
        offset, (address, *below) = i.get("offset", {}), self.registers[i.get(field, 0) :]
        if pair:
            address = (address << 32) + (below[0] & 0xFFFFFFFF) if self.chip["pairs"] else address & 0xFFFFFFFF
        return address + (offset.get("offset_value", 0) * scale if offset.get("offset_select", 0) & bit else 0)

    def bytes(self, address, size, far=False):
        """A view of local or global memory."""
        memory = self.chip["memory"] if far else self.local
        assert 0 <= address <= address + size <= len(memory), (self.number, self.at)
        return memory[address : address + size]

    def elements(self, address, count, kind, stride=1):
        """A copy of elements, `stride` of them apart."""
        parts = [self.bytes(address + k * stride * kind.itemsize, kind.itemsize) for k in range(count)]
        return np.concatenate([np.zeros(0, np.uint8), *parts]).view(kind)

    def compute(self, op, i):
        r, count = self.registers, i.get("size", i.get("len"))
        if op == "setbw":
            self.widths = tuple(8 * -(-i[name] // 8) for name in ("ibiw", "obiw"))
        elif op in ("sldi", "sld", "sadd", "ssub", "smul", "saddi", "smuli"):
            a, b = r[i.get("rs1", 0)], i.get("imm", 0) if op.endswith("i") else r[i.get("rs2", 0)]
            results = {"sldi": b, "sadd": a + b, "ssub": a - b, "smul": a * b, "saddi": a + b, "smuli": a * b}
            if op == "sld":
                far = self.place(i, "rs1", 0, pair=True) + i.get("offset_value", 0)
                results[op] = int(self.bytes(far, 4, far=True).view("<i4")[0])
            r[i["rd"]] = (results[op] + (1 << 31)) % (1 << 32) - (1 << 31)
        elif op in ("ld", "st", "lmv", "lldi"):
            target = self.bytes(self.place(i, "rd", 1, pair=op == "st"), count, far=op == "st")
            source = self.place(i, "rs1", 2, pair=op == "ld")
            target[:] = i["imm"] & 255 if op == "lldi" else self.bytes(source, count, far=op == "ld").copy()
        else:
            kinds = [types[width] for types, width in zip(self.types, self.widths, strict=True)]
            address, made = self.product(i, *kinds) if op == "mvmul" else self.vector(op, i, *kinds)
            self.bytes(address, made.nbytes)[:] = made.view(np.uint8)

    def product(self, i, given, made):
        """The whole crossbar: rows of inputs, and so many outputs as weights stand in its rows."""
        (rows, cols), cells = self.config["xbar_size"], self.chip["weights"][self.number, i["group"]]
        crossbars = self.config["array_group_map"][f"core{self.number}"][i["group"]]
        kind = "f8" if cells.dtype.kind == "f" else "i8"
        whole = np.zeros((rows, crossbars * (self.config["cell_precision"] * cols // i["mbiw"])), kind)
        whole[: cells.shape[0], : cells.shape[1]] = cells
        total = (self.elements(self.registers[i["rs1"]], rows, given).astype(kind) @ whole).astype(made)
        return self.registers[i["rd"]], np.maximum(total, made.type(0)) if i.get("relu") else total

    def vector(self, op, i, given, out):
        """Instructions on elements: computed in the wider type of both, floats before integers, then resized."""
        result, count, extra = out if op in WIDENING else given, i["len"], self.registers[i.get("rs2", 0)]
        inner = max((given, result), key=lambda kind: (kind.kind == "f", kind.itemsize))
        target = self.place(i, "rd", 0 if op == "vmv" else 1, result.itemsize)
        source = self.place(i, "rs1", 0 if op == "vmv" else 2, given.itemsize)
        a = self.elements(source, count, given, extra if op in ("vavg", "vmv") else 1)
        wide, a = a.astype("f8" if given.kind == "f" else "i8"), a.astype(inner)
        if op.startswith("vv"):
            b = self.elements(self.place(i, "rs2", 4, given.itemsize), count, given).astype(inner)
        made = {
            "vvsll": lambda: shift(a, b, True),
            "vvsra": lambda: shift(a, b, False),
            "vvdmul": lambda: np.add.accumulate(a * b, dtype=inner)[-1:] if count else np.zeros(1, inner),
            "vavg": lambda: np.add.accumulate(wide)[-1:] / count,
            "vrelu": lambda: np.maximum(a, inner.type(0)),
            "vtanh": lambda: np.tanh(a.astype("f4")),
            "vsigm": lambda: 0.5 * (1 + np.tanh(a.astype("f8") / 2)),
            "vmv": lambda: a,
            "vrsu": lambda: np.minimum(wide, extra),
            "vrsl": lambda: np.maximum(wide, extra),
        }.get(op, lambda: ELEMENTWISE[op](a, b))()
        return target, resized(np.trunc(made) if op == "vavg" and given.kind != "f" else made, result)
