"""A second opinion on imports: raw PIM-ISA instructions with data, one per core in turn, in plain NumPy.

It shares no code with the product and reads the program as JSON gives it. Memory that nothing has written holds zeros.
"""

import numpy as np

SIGNED = {1: np.int8, 2: np.int16, 4: np.int32}
WIDENING = ("vvmul", "vvsll", "vvsra", "vvdmul", "vavg", "vtanh", "vsigm", "vrsu", "vrsl")  # results of width obiw


def run(program, weights, memory, shape, cell_bits, pairs=True, equal=False, local=1 << 16):
    """Global memory (uint8) after `program`; `weights[core, group]` are matrices, `shape` that of a crossbar."""
    memory = memory.copy()
    chip = {"shape": shape, "cells": cell_bits, "pairs": pairs, "equal": equal, "memory": memory}
    count = program["config"]["core_cnt"]
    cores = [Core(k, program.get(f"core{k}", []), weights, chip, local) for k in range(count)]
    while waiting := [core for core in cores if core.at < len(core.program)]:
        assert sum([core.step(cores) for core in waiting]), f"deadlock: {[(c.number, c.at) for c in waiting]}"
    return memory


def shift(values, counts, left):
    """Shifts by fewer bits than none, or by all of them, leave nothing but (to the right) the sign."""
    bits = values.dtype.itemsize * 8
    legal = (counts >= 0) & (counts < bits)
    kept = np.where(legal, counts, 0)
    if left:
        return np.where(legal, values << kept, 0).astype(values.dtype)
    return np.where(legal, values >> kept, np.where(values < 0, -1, 0)).astype(values.dtype)


def resized(values, kind):
    """Integers of another width, at its limits where they do not fit; floats to the nearest even one."""
    limits = np.iinfo(kind)
    return np.clip(np.rint(values) if values.dtype.kind == "f" else values, limits.min, limits.max).astype(kind)


class Core:
    """One core: registers, local memory, events, widths of elements in bytes, mail."""

    def __init__(self, number, program, weights, chip, local):
        self.number, self.program, self.weights, self.chip = number, program, weights, chip
        self.at, self.registers, self.events, self.widths, self.mail = 0, [0] * 32, [0] * 32, (1, 1), {}
        self.local = np.zeros(local, np.uint8)

    def step(self, cores):
        """Run one instruction; False if it has to wait."""
        i = self.program[self.at]
        op, r = i["op"], self.registers
        offset = i.get("offset", {})
        select, value = offset.get("offset_select", 0), offset.get("offset_value", 0)

        def place(field, bit, scale=1):
            return r[i.get(field, 0)] + (value * scale if select & bit else 0)

        if op == "send":
            cores[i["core"]].mail.setdefault(self.number, []).append(self.bytes(place("rd", 1), i["size"]).copy())
        elif op == "recv":
            if not self.mail.get(i["core"]):
                return False
            self.bytes(place("rd", 1), i["size"])[:] = self.mail[i["core"]].pop(0)
        elif op == "sync":
            cores[i["core"]].events[i["event_register"]] += 1
        elif op == "wait":
            count, wanted = self.events[i["event_register"]], i["wait_value"]
            if count != wanted if self.chip["equal"] else count < wanted:
                return False
            self.events[i["event_register"]] -= wanted
        elif op == "setbw":
            self.widths = -(-i["ibiw"] // 8), -(-i["obiw"] // 8)
        elif op in ("sldi", "sld", "sadd", "ssub", "smul", "saddi", "smuli"):
            a, b = r[i.get("rs1", 0)], i["imm"] if op.endswith("i") else r[i.get("rs2", 0)]
            results = {"sldi": b, "sadd": a + b, "ssub": a - b, "smul": a * b, "saddi": a + b, "smuli": a * b}
            if op == "sld":
                far = self.far(i["rs1"]) + i.get("offset_value", 0)
                results[op] = int(self.chip["memory"][far : far + 4].view("<i4")[0])
            r[i["rd"]] = (results[op] + (1 << 31)) % (1 << 32) - (1 << 31)
        elif op in ("ld", "st"):
            away = self.far(i["rs1" if op == "ld" else "rd"]) + (value if select & (2 if op == "ld" else 1) else 0)
            here = self.bytes(place("rd", 1) if op == "ld" else place("rs1", 2), i["size"])
            there = self.chip["memory"][away : away + i["size"]]
            here[:], there[:] = (there, there.copy()) if op == "ld" else (here.copy(), here)
        elif op == "lldi":
            self.bytes(place("rd", 1), i["len"])[:] = i["imm"] & 255
        elif op == "lmv":
            self.bytes(place("rd", 1), i["len"])[:] = self.bytes(place("rs1", 2), i["len"]).copy()
        elif op == "mvmul":
            self.product(i)
        else:
            self.vector(op, i, place)
        self.at += 1
        return True

    def far(self, register):
        """An address of global memory: two words, or one."""
        if not self.chip["pairs"]:
            return self.registers[register] & 0xFFFFFFFF
        return (self.registers[register] << 32) + (self.registers[register + 1] & 0xFFFFFFFF)

    def bytes(self, address, size):
        """A view of local memory."""
        assert 0 <= address <= address + size <= len(self.local)
        return self.local[address : address + size]

    def elements(self, address, count, width, stride=1):
        """A copy of elements, `stride` of them apart."""
        return np.array([self.bytes(address + k * stride * width, width).view(SIGNED[width])[0] for k in range(count)])

    def product(self, i):
        """The whole crossbar: rows of inputs, and so many outputs as weights stand in its rows."""
        rows, cols = self.chip["shape"]
        x = self.elements(self.registers[i["rs1"]], rows, self.widths[0]).astype(np.int64)
        total = x @ self.weights[self.number, i["group"]].astype(np.int64)
        made = total.astype(SIGNED[self.widths[1]])
        assert len(made) % (self.chip["cells"] * cols // i["mbiw"]) == 0
        made = np.maximum(made, 0) if i.get("relu") else made
        self.bytes(self.registers[i["rd"]], made.nbytes)[:] = made.view(np.uint8)

    def vector(self, op, i, place):
        """Instructions on elements: computed in the wider type, then resized."""
        (given, out), count = self.widths, i["len"]
        result = out if op in WIDENING else given
        inner = SIGNED[max(given, result)]
        extra = self.registers[i["rs2"]] if op in ("vavg", "vmv", "vrsu", "vrsl") else 0
        stride = extra if op in ("vavg", "vmv") else 1
        if not count and op != "vvdmul":
            return
        a = self.elements(place("rs1", 0 if op == "vmv" else 2, given), count, given, stride)
        a = a.astype(inner if op not in ("vrsu", "vrsl") else np.int64)
        if "rs2" in i and op.startswith("vv"):
            b = self.elements(place("rs2", 4, given), count, given).astype(inner)
        made = {
            "vvadd": lambda: a + b,
            "vvsub": lambda: a - b,
            "vvmax": lambda: np.maximum(a, b),
            "vvmul": lambda: a * b,
            "vvsll": lambda: shift(a, b, True),
            "vvsra": lambda: shift(a, b, False),
            "vvdmul": lambda: (a * b).sum(keepdims=True, dtype=inner),
            "vavg": lambda: np.array([np.trunc(a.astype(np.int64).sum() / count)]).astype(np.int64),
            "vrelu": lambda: np.maximum(a, 0),
            "vtanh": lambda: np.tanh(a.astype(np.float32)),
            "vsigm": lambda: 0.5 * (1 + np.tanh(a.astype(np.float64) / 2)),
            "vmv": lambda: a,
            "vrsu": lambda: np.minimum(a, extra),
            "vrsl": lambda: np.maximum(a, extra),
        }[op]()
        made = resized(made, SIGNED[result])
        target = place("rd", 0 if op == "vmv" else 1, result)
        self.bytes(target, made.nbytes)[:] = made.view(np.uint8)
