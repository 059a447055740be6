"""Times that can be computed by hand, and were measured on both builds of the simulator.

Four instructions that set widths and registers pass first: an operation behind them starts at edge 4 + 3 and is seen
to have ended one edge after it ends. Words of 64 bytes and one cycle, a period of 1 ns, vectors of 16 elements in 4
ns.
"""

import pytest
from pimsim_files import CONFIG, PROGRAM, chip_file, written

from emu.interop.pim_isa.timing.time_program import time_program

START, SEEN = 4 + 3, 1
IN_FRONT = 1  # a product waits one cycle in front of the array groups


def before(bits=8):
    registers = [{"op": "sldi", "rd": rd, "imm": 4096 * rd} for rd in (1, 2, 3)]
    return [{"op": "setbw", "ibiw": bits, "obiw": bits}, *registers]


def finishes(tmp_path, window, executor, *cores):
    """In ns, per core."""
    config = {"core_cnt": 2, "array_group_map": {"core0": [1, 1], "core1": [1, 1]}}
    program = {"config": config} | {f"core{number}": list(core) for number, core in enumerate(cores)}
    run = time_program(written(tmp_path, program), chip_file(tmp_path, window), executor=executor).run
    return [ps / 1000 for ps in run.finish.values()]


def product(bits):
    """All 128 rows bit by bit; 128 columns, two at a time: stages of 32 and 642 cycles, pipelined."""
    front, back = 1 + 30 + 1, 10 + 2 + 63 * 10
    read, write = 8 * 128 * -(-bits // 8) // 64, 128 * -(-bits // 8) // 64
    return IN_FRONT + read + front + back + (bits - 1) * max(front, back) + write


@pytest.mark.parametrize(
    ("bits", "operation", "edges"),
    [
        (8, {"op": "lmv", "rd": 1, "rs1": 2, "len": 64}, 1 + 1),
        (8, {"op": "lmv", "rd": 1, "rs1": 2, "len": 128}, 2 + 2),
        (8, {"op": "vvadd", "rd": 1, "rs1": 2, "rs2": 3, "len": 16}, 2 * 1 + 4 + 1),
        (8, {"op": "vvadd", "rd": 1, "rs1": 2, "rs2": 3, "len": 64}, 2 * 1 + 16 + 1),
        (8, {"op": "vvadd", "rd": 1, "rs1": 2, "rs2": 3, "len": 128}, 2 * 2 + 32 + 2),
        (8, {"op": "vrelu", "rd": 1, "rs1": 2, "len": 64}, 1 + 16 + 1),
        (1, {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8}, product(1)),
        (4, {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8}, product(4)),
        (8, {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8}, product(8)),
        (16, {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8}, product(16)),
        (
            8,
            {"op": "ld", "rd": 1, "rs1": 2, "size": 64},
            15 + 4 + 1 + 1,
        ),  # what waits just one period is late for its edge
        (8, {"op": "ld", "rd": 1, "rs1": 2, "size": 128}, 15 + 8 + 2),
        (8, {"op": "st", "rd": 1, "rs1": 2, "size": 64}, 1 + 8 * 15 + 4 + 1),
    ],
)
@pytest.mark.parametrize("executor", ["step", "fast"])
def test_one_operation(tmp_path, executor, bits, operation, edges):
    assert finishes(tmp_path, 1, executor, [*before(bits), operation]) == [START + edges + SEEN]


@pytest.mark.parametrize("executor", ["step", "fast"])
def test_one_message(tmp_path, executor):
    """Ready in 4 ns, answered in 9 ns, read in 1 ns; 8 flits in 4 ns each, written in 1 ns; both began at once."""
    send = [*before(), {"op": "send", "rd": 1, "core": 1, "size": 64}]
    recv = [*before(), {"op": "recv", "rd": 1, "core": 0, "size": 64}]
    ready = START + 4 + 9
    sent = ready + 1 + 1  # the read ends at an edge, one period after it began: late for that edge
    received = ready + 1 + 8 * 4 + 1 + 1
    assert finishes(tmp_path, 1, executor, send, recv) == [sent + SEEN, received + SEEN]


@pytest.mark.parametrize(("window", "measured"), [(1, 10385), (4, 5212)])
def test_two_products_in_different_groups_overlap_if_the_window_lets_them(tmp_path, window, measured):
    one = {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8}
    other = {"op": "mvmul", "rd": 4, "rs1": 3, "mbiw": 8, "group": 1}
    core = [*before(), {"op": "sldi", "rd": 4, "imm": 12288}, one, other]
    assert finishes(tmp_path, window, "step", core) == [measured]


@pytest.mark.parametrize("executor", ["step", "fast"])
@pytest.mark.parametrize("simulator", ["upstream", "fork"])
def test_the_example_takes_5599_ns(simulator, executor):
    timed = time_program(PROGRAM, CONFIG, simulator, executor)
    assert timed.run.latency == 5_599_000
    flits = 1 + 16 + 1 + 1 + 16  # a load, a store; two cores get ready, data
    assert timed.energy.dynamic["network"] == 46 * flits
    assert timed.energy.total == 46 * flits + 5599 * (2 + 1)  # 1 mW per local memory, 1 mW of the global one
