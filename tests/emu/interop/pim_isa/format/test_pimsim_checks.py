"""What a chip cannot run is refused: core, instruction and key are named."""

import pytest
from pimsim_files import example, written

from emu.errors import ProgramError
from emu.interop.pim_isa.format.checks import check_program
from emu.interop.pim_isa.format.config import ChipConfig, CoreConfig, MatrixConfig
from emu.interop.pim_isa.format.reader import read_program

CHIP = ChipConfig(core_cnt=2)
BAD = [
    ({"op": "nop"}, "(nop), key 'op': a nop: pimsim-nn ends at it"),
    ({"op": "mvmul", "mbiw": 8, "group": 1}, "(mvmul), key 'group': array group 1: the core has groups 0 to 0"),
    ({"op": "mvmul", "mbiw": 8, "group": -1}, "(mvmul), key 'group': array group -1: the core has groups 0 to 0"),
    ({"op": "mvmul", "mbiw": 0}, "(mvmul), key 'mbiw': 0 is no width of a weight in bits"),
    ({"op": "setbw", "ibiw": -8}, "(setbw), key 'ibiw': -8 is no width from 0 to 65536 bits"),
    ({"op": "setbw", "obiw": 1 << 30}, "(setbw), key 'obiw': 1073741824 is no width from 0 to 65536 bits"),
    ({"op": "vrelu", "len": -1}, "(vrelu), key 'len': -1 is no length"),
    ({"op": "lmv", "len": -1}, "(lmv), key 'len': -1 is no length"),
    ({"op": "ld", "size": -1}, "(ld), key 'size': -1 is no number of bytes"),
    ({"op": "ld", "rs1": 31}, "(ld), key 'rs1': register 31 begins no pair"),
    ({"op": "sld", "rs1": 31}, "(sld), key 'rs1': register 31 begins no pair"),
    ({"op": "st", "rd": 31}, "(st), key 'rd': register 31 begins no pair"),
    ({"op": "send", "core": 2}, "(send), key 'core': core 2 is not in the program"),
    ({"op": "recv", "core": -1}, "(recv), key 'core': core -1 is not in the program"),
    ({"op": "sync", "core": 7}, "(sync), key 'core': core 7 is not in the program"),
    ({"op": "wait", "event_register": 32}, "(wait), key 'event_register': 32 is no event register from 0 to 31"),
]


@pytest.mark.parametrize(("instruction", "sentence"), BAD)
def test_refused(tmp_path, instruction, sentence):
    program = example()
    program["core1"].insert(3, instruction)
    with pytest.raises(ProgramError) as error:
        check_program(read_program(written(tmp_path, program)), CHIP)
    assert f"program.json: core 1, instruction 3 {sentence}" in str(error.value)


def test_more_bytes_than_the_simulator_can_count(tmp_path):
    program = example()
    program["core1"][5:5] = [{"op": "setbw", "ibiw": 16, "obiw": 8}, {"op": "vrelu", "len": 1 << 30}]
    with pytest.raises(
        ProgramError, match=r"instruction 6 \(vrelu\), key 'len': 1073741824 elements are more than 2\^31"
    ):
        check_program(read_program(written(tmp_path, program)), CHIP)


def test_a_core_without_array_groups(tmp_path):
    program = example()
    del program["config"]["array_group_map"]
    with pytest.raises(
        ProgramError, match=r"core 0, instruction 5 \(mvmul\).*array_group_map has no groups for this core"
    ):
        check_program(read_program(written(tmp_path, program)), CHIP)


def test_strange_but_accepted(tmp_path):
    program = example()
    program["config"]["array_group_map"]["core0"] = [2, 3]
    found = check_program(read_program(written(tmp_path, program)), ChipConfig())
    assert found == [
        "core 1 is beyond chip_config.core_cnt = 1 of the configuration",
        "the array groups of core 0 have 5 crossbars, a core of the chip has 1",
    ]
    core = CoreConfig(matrix_config=MatrixConfig(xbar_array_count=5))
    assert check_program(read_program(written(tmp_path, program)), ChipConfig(core_cnt=2, core_config=core)) == []
