"""Programs that never end are refused; what the simulator would show otherwise is said."""

import json

import pytest
from pimsim_files import CONFIG, PROGRAM, chip_file, example, written

from emu.errors import ProgramError
from emu.interop.pim_isa.timing.time_program import time_program

EXECUTORS = pytest.mark.parametrize("executor", ["step", "fast"])


def two(first, second):
    return {"config": {"core_cnt": 2}, "core0": first, "core1": second}


def timed(tmp_path, program, executor="step", simulator="upstream", window=1, **core):
    return time_program(written(tmp_path, program), chip_file(tmp_path, window, **core), simulator, executor)


def refusal(*arguments, **named):
    with pytest.raises(ProgramError) as error:
        timed(*arguments, **named)
    return str(error.value)


@EXECUTORS
def test_a_ring_of_receives(tmp_path, executor):
    program = two([{"op": "recv", "core": 1}, {"op": "send", "core": 1}], [{"op": "recv", "core": 0}])
    assert refusal(tmp_path, program, executor).endswith(
        "deadlock: 2 cores without an end: core 0, instruction 0: receive from core 1, which does not send;"
        " core 1, instruction 0: receive from core 0, which does not send"
    )


@EXECUTORS
def test_sends_to_each_other(tmp_path, executor):
    program = two([{"op": "lldi"}, {"op": "send", "core": 1}], [{"op": "send", "core": 0}])
    found = refusal(tmp_path, program, executor)
    assert (
        "core 0, instruction 1: send to core 1, which does not receive; core 1, instruction 0: send to core 0" in found
    )


@EXECUTORS
def test_a_send_to_itself(tmp_path, executor):
    program = {"config": {"core_cnt": 1}, "core0": [{"op": "send", "core": 0}, {"op": "recv", "core": 0}]}
    assert "1 core without an end: core 0, instruction 0: send to core 0" in refusal(tmp_path, program, executor)


@EXECUTORS
def test_a_wait_for_exactly_a_value_that_is_passed(tmp_path, executor):
    """By the rules of the fork the wait may begin later; by those of upstream it must see exactly its value."""
    sync = {"op": "sync", "core": 1, "event_register": 3}
    program = two([sync, sync], [{"op": "lldi", "len": 6400}, {"op": "wait", "event_register": 3, "wait_value": 1}])
    found = refusal(tmp_path, program, executor)
    assert found.endswith("core 1, instruction 1: wait for event 3 to be exactly 1, it is 2")
    assert timed(tmp_path, program, executor, "fork").run.latency > 0
    program["core1"].append({"op": "wait", "event_register": 3, "wait_value": 2})
    assert "instruction 2: wait for event 3 to be at least 2, it is 1" in refusal(tmp_path, program, executor, "fork")


@pytest.mark.parametrize("window", [1, 4])
def test_the_oldest_of_several_is_named(tmp_path, window):
    program = two([{"op": "recv", "core": 1}, {"op": "vrelu", "len": 4}], [])
    assert "core 0, instruction 0: receive from core 1" in refusal(tmp_path, program, window=window)


@EXECUTORS
def test_a_scalar_instruction_at_the_end(tmp_path, executor):
    program = example()
    program["core0"].append({"op": "sldi"})
    found = timed(tmp_path, program, executor)
    assert found.run.finish == {0: 0, 1: 5_599_000}
    assert found.warnings[0].startswith("1 core (0) with a scalar instruction at the end: the simulator never sees")
    assert "core 0 ends with a scalar instruction: the fork never sees its end" in refusal(
        tmp_path, program, executor, "fork"
    )


@EXECUTORS
def test_a_core_without_instructions_finishes_at_once(tmp_path, executor):
    found = timed(tmp_path, two([], [{"op": "lldi"}]), executor)
    assert found.run.finish[0] == 0 < found.run.finish[1] and not found.warnings
    assert timed(tmp_path, two([], []), executor).to_dict()["power_mw"] is None


def test_programs_that_only_the_defining_executor_can_run(tmp_path):
    assert "is for a rob_size of 1, not 4" in _input_error(tmp_path, example(), 4)
    adds = {"op": "saddi", "rd": 1, "rs1": 1, "imm": 4}
    program = {"config": {"core_cnt": 1}, "core0": [{"op": "lldi"}, adds, adds, {"op": "lldi"}]}
    assert "core 0 has a scalar instruction that reads what it writes two places behind" in _input_error(
        tmp_path, program, 1
    )


def _input_error(tmp_path, program, window):
    from emu.interop.pim_isa.timing.fast import NotForFast

    with pytest.raises(NotForFast) as error:
        timed(tmp_path, program, "fast", window=window)
    return str(error.value)


def test_auto_takes_first_come_first_served_for_long_programs(tmp_path, monkeypatch):
    from emu.interop.pim_isa.timing import time_program as module

    assert (timed(tmp_path, example(), "auto").run.executor, timed(tmp_path, example(), "auto").run.ties) == (
        "step",
        "upstream",
    )
    monkeypatch.setattr(module, "FEW", 14)
    found = timed(tmp_path, example(), "auto").run
    assert (found.executor, found.ties, found.latency) == ("fast", "first come", 5_599_000)
    found = timed(tmp_path, example(), "auto", window=4).run
    assert (found.executor, found.ties) == ("step", "first come")


def test_what_differs_from_what_the_simulator_would_print_is_said(tmp_path):
    config = json.loads(CONFIG.read_text())
    file = chip_file(tmp_path)
    for settings, words in (
        ({"sim_mode": 0}, "sim_config.sim_mode is 0 (throughput): computed is the latency of one round"),
        ({"sim_mode": 1, "sim_time": 0.001}, "would stop at sim_config.sim_time = 0.001 ms, before the program ends"),
    ):
        file.write_text(json.dumps(config | {"sim_config": settings}))
        assert words in time_program(PROGRAM, file).warnings[0]
    (tmp_path / "network.json").write_text('{"latency": {"0": {"-10": 1, "1": 1}, "1": {"0": 1}}, "energy": {}}')
    file.write_text(json.dumps(config))
    assert time_program(PROGRAM, file).warnings == (
        "the network table has no latency from node 1 to node -10: such messages take no time (1 pair of nodes)",
    )


def test_more_than_the_chip_has_is_a_warning_and_by_the_rules_of_the_fork_refused(tmp_path):
    program = example()
    program["config"]["array_group_map"]["core1"] = [64, 1]
    assert timed(tmp_path, program).warnings == (
        "the array groups of core 1 have 65 crossbars, a core of the chip has 64",
    )
    assert refusal(tmp_path, program, simulator="fork").endswith("a core of the chip has 64: the fork refuses that")


def test_two_nodes_for_one_memory(tmp_path):
    assert "names two nodes for the global memory" in refusal(tmp_path, example(), global_memory_switch_id=-3)


def test_endless_delays_are_refused(tmp_path):
    memory = {"data_width": 1, "period": 1e9, "write_latency_cycle": 1 << 30}
    found = refusal(
        tmp_path, {"config": {"core_cnt": 1}, "core0": [{"op": "lldi", "len": 1 << 30}]}, local_memory_config=memory
    )
    assert found.endswith("program.json: core 0, instruction 0: more than two hours of simulated time at once")


def test_an_instruction_that_runs_again_and_again_is_followed_only_so_far(tmp_path):
    adds = {"op": "saddi", "rd": 1, "rs1": 1, "imm": 4}
    program = {"config": {"core_cnt": 1}, "core0": [{"op": "lldi", "len": 1 << 30}, adds, adds, {"op": "lldi"}]}
    found = refusal(tmp_path, program, local_memory_config={"data_width": 1, "write_latency_cycle": 1})
    assert "core 0, instruction 2: it reads what it writes, so it runs again in each of the 1073741825 cycles" in found
    program["core0"][0]["len"] = 4
    times = timed(tmp_path, program, local_memory_config={"data_width": 1, "write_latency_cycle": 1}).run.counts[0]
    assert times["scalar"] == 1 + (4 + 2) and times["register_write"] == 1 + 1 + (4 + 2)


@EXECUTORS
def test_long_waits_take_no_long_time(tmp_path, executor):
    """A thousand million edges at which nothing happens."""
    program = {"config": {"core_cnt": 1}, "core0": [{"op": "lldi", "len": 1 << 30}, {"op": "lldi"}]}
    memory = {"data_width": 1, "write_latency_cycle": 1}
    assert timed(tmp_path, program, executor, local_memory_config=memory).run.latency == ((1 << 30) + 3 + 1 + 3) * 1000
