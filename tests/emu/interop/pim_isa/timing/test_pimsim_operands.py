"""What each instruction reads and writes: the bytes that are compared, and those that are moved, row by row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimsim_programs import NETWORK_NAME, prepared

from emu.interop.pim_isa.isa import BY_CODE, OPS, PimUnit

MATRIX = {"xbar_size": [12, 10], "cell_precision": 3, "dac_count": 5, "adc_count": 4}
LOCAL, GLOBAL = {"data_width": 3, "period": 0.7}, {"data_width": 5, "period": 1.3}
CROSSBARS = 3  # of the array group
BUS = 4

# Compared: bytes of rs1, rs2, rd, and of one step of their offsets; None: not compared. Then bytes that are moved: how
# many operands are read, of how many bytes, and how many are written. n elements or bytes; i, o: bytes of an element.
SUMS = (("n*i", "i"), ("n*i", "i"), ("n*i", "i"), 2, "n*i", "n*i")
SHIFTS = (("n*i", "i"), ("n*i", "i"), ("n*o", "o"), 2, "n*i", "n*o")
BOUNDS = (("n*i", "i"), ("n*i", "0"), ("n*o", "o"), 1, "n*i", "n*o")
CURVES = (("n*i", "i"), None, ("n*o", "o"), 1, "n*i", "n*o")
TABLE = {
    **dict.fromkeys(("vvadd", "vvsub", "vvmax"), SUMS),
    **dict.fromkeys(("vvmul", "vvsll", "vvsra"), SHIFTS),
    "vvdmul": (("n*i", "i"), ("n*i", "i"), ("n*o", "0"), 2, "n*i", "n*i"),
    **dict.fromkeys(("vrsu", "vrsl"), BOUNDS),
    **dict.fromkeys(("vtanh", "vsigm"), CURVES),
    "vrelu": (("n*i", "i"), None, ("n*o", "i"), 1, "n*i", "n*i"),
    "vavg": (("n*i", "i"), None, ("o", "0"), 1, "n*i", "n*i"),
    "vmv": (None, None, None, 1, "n*i", "n*i"),
    "mvmul": (("12*i", "0"), None, ("3*10//w*3*o", "0"), 1, "8*12*i", "3*10//w*3*o"),
    "ld": (None, None, ("s", "1"), 0, "0", "s"),
    "st": (("s", "1"), None, None, 1, "s", "0"),
    "send": (("s", "1"), None, None, 1, "s", "0"),
    "recv": (None, None, ("s", "1"), 0, "0", "s"),
    "lldi": (None, None, ("1", "1"), 0, "0", "n"),
    "lmv": (("0", "1"), None, ("0", "1"), 1, "n", "n"),
    "sync": (None, None, None, 0, "0", "0"),
    "wait": (None, None, None, 0, "0", "0"),
}
SELECTED = {"rs1": ("offset_value", 2), "rs2": ("offset_value", 4), "rd": ("offset_select", 1)}


def costs_of(instruction, bits):
    """The costs of one operation behind the widths of its elements."""
    memories = {"local_memory_config": LOCAL, "matrix_config": MATRIX | {"xbar_array_count": 9}}
    network = {"bus_width": BUS, "net_config_file_path": NETWORK_NAME}
    chip = {"core_cnt": 1, "core_config": memories, "global_memory_config": GLOBAL, "network_config": network}
    program = {
        "config": {"core_cnt": 1, "array_group_map": {"core0": [CROSSBARS]}},
        "core0": [{"op": "setbw", "ibiw": bits[0], "obiw": bits[1]}, instruction],
    }
    (core,) = prepared(program, ({"chip_config": chip}, {"latency": {}, "energy": {}})).cores
    return core.costs


def test_there_is_a_row_for_each_operation():
    assert set(TABLE) == {op.name for op in OPS if op.unit is not PimUnit.FRONT}


@given(
    name=st.sampled_from(sorted(TABLE)),
    number=st.integers(0, 40),
    bits=st.tuples(st.integers(0, 33), st.integers(0, 33)),
    weight=st.integers(1, 40),
    offset=st.fixed_dictionaries({"offset_select": st.integers(0, 7), "offset_value": st.integers(-9, 9)}),
)
def test_operands(name, number, bits, weight, offset):
    fields = {"op": name, "rd": 1, "rs1": 2, "rs2": 3, "mbiw": weight, "offset": offset}
    size = "size" if name in ("ld", "st", "send", "recv") else "len"
    costs = costs_of(fields | {size: number}, bits)
    values = {"n": number, "s": number, "i": -(-bits[0] // 8), "o": -(-bits[1] // 8), "w": weight}

    def value(formula):
        return eval(formula, {}, values)

    *compared, reads, read, written = TABLE[name]
    for register, row in zip(("rs1", "rs2", "rd"), compared, strict=True):
        key, bit = SELECTED[register]
        if row is None:
            assert getattr(costs, f"{register}_bytes").tolist() == [-1]
            continue
        step = offset["offset_value"] * value(row[1]) if offset[key] & bit else 0
        assert getattr(costs, f"{register}_bytes").tolist() == [value(row[0])]
        assert getattr(costs, f"{register}_offset").tolist() == [step]
    words = {"read": -(-value(read) // LOCAL["data_width"]), "write": -(-value(written) // LOCAL["data_width"])}
    assert costs.reads.tolist() == [reads]
    assert costs.write_words.tolist() == [words["write"]]
    assert costs.write_ps.tolist() == [int(1000 * (words["write"] * 10.0 * LOCAL["period"]) + 0.5)]
    if reads:
        assert costs.read_words.tolist() == [words["read"]]
        assert costs.read_ps.tolist() == [int(1000 * (words["read"] * 8.0 * LOCAL["period"]) + 0.5)]
    outside = -(-number // GLOBAL["data_width"]) if name in ("ld", "st") else 0
    cycles = 10.0 if name == "st" else 8.0
    assert costs.global_ps.tolist() == [int(1000 * (outside * cycles * GLOBAL["period"]) + 0.5)]
    assert costs.flits.tolist() == [{"ld": 1, "st": -(-number // BUS), "send": -(-number // BUS)}.get(name, 0)]
    assert BY_CODE[int(costs.op[0])].name == name


@pytest.mark.parametrize(
    ("bits", "settings", "cycles"),
    [
        (8, {"pipeline_mode": True}, (1 + 31 + 2) + (3 + 4 + 1 * 4) + (8 * 2 - 1) * 34),
        (8, {"pipeline_mode": False}, 8 * 2 * (34 + 11)),
        (8, {"pipeline_mode": True, "dac_resolution": 3}, 34 + 11 + (2 * 2 - 1) * 34),
        (0, {"pipeline_mode": True}, 34 + 11 - 34),  # no input bits: one stage less than none
        (0, {"pipeline_mode": False}, 0),
        (8, {"pipeline_mode": True, "dac_count": 13}, 34 + 11 - 34),  # more word lines at once than there are
        (8, {"pipeline_mode": False, "adc_count": 11}, 8 * 2 * (34 + 3 + 4 - 4)),  # more converters than columns
        (8, {"pipeline_mode": True, "adc_latency_cycle": 9}, (9 + 4 + 1 * 9) + 34 + (8 * 2 - 1) * 34),
    ],
)
def test_products(monkeypatch, bits, settings, cycles):
    """Converters in 1, crossbar ceil(37 / 1.2) = 31, sample and hold 2; converters out 3, sums and registers 4."""
    matrix = {"xbar_size": [12, 10], "dac_count": 5, "adc_count": 4, "period": 1.2, "xbar_latency": 37}
    later = {"sample_hold_latency_cycle": 2, "adc_latency_cycle": 3, "shift_adder_latency_cycle": 3}
    monkeypatch.setitem(globals(), "MATRIX", matrix | later | settings)
    costs = costs_of({"op": "mvmul", "mbiw": 8, "group": 0}, (bits, 8))
    assert costs.compute_ps.tolist() == [int(1000 * (cycles * 1.2) + 0.5)]
    steps = (bits // settings.get("dac_resolution", 1)) * (12 // settings.get("dac_count", 5))
    assert costs.passes.tolist() == [CROSSBARS * steps]
