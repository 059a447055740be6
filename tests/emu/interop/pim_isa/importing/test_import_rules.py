"""Rules of the import one by one: defects of emitters, groups, weights, what is refused and in which words."""

import json
import re

import numpy as np
import pytest

from emu.errors import InputError, ProgramError
from emu.image.reader import open_image
from emu.interop.pim_isa.importing.element_types import parse_types
from emu.interop.pim_isa.importing.import_program import ImportRequest, import_program
from emu.interop.pim_isa.importing.raw_program import read_raw
from emu.isa.dtypes import DType
from launch.chips.sequential import SequentialChip
from launch.processes.options import RunOptions

WIDE = {"op": "setbw", "ibiw": 8, "obiw": 8}
CONFIG = {"core_cnt": 2, "xbar_size": [4, 2], "cell_precision": 8}


def put(register, value):
    return {"op": "sldi", "rd": register, "imm": value}


def imported(tmp_path, first, second=(), config=None, **request):
    program = {"config": CONFIG | (config or {}), "core0": list(first), "core1": list(second)}
    (tmp_path / "program.json").write_text(json.dumps(program))
    return import_program(ImportRequest(path=tmp_path / "program.json", **request), tmp_path / "out")


def filled(byte, size, at):
    return [put(1, at), {"op": "lldi", "rd": 1, "imm": byte, "len": size}]


def stored(at, size):
    return [put(2, 0), put(3, 64), put(4, at), {"op": "st", "rd": 2, "rs1": 4, "size": size}]


def run(tmp_path):
    image = open_image(tmp_path / "out")
    inputs = {name: array[0] for name, array in (image.default_inputs() or {}).items()}
    return SequentialChip(image, RunOptions(sequential=True, engine="step"), ()).run(inputs)


def test_widths_that_nobody_set(tmp_path):
    add = {"op": "vvadd", "rd": 1, "rs1": 1, "rs2": 1, "len": 4}
    found = imported(tmp_path, [*filled(5, 4, 0), add, add, *stored(0, 4)])
    assert found.warnings == (
        "core 0, instruction 2 (vvadd): no setbw has set the widths of elements: 8 bits are assumed"
        " (and so do 1 others, in 1 core in all)",
    )
    assert run(tmp_path)["stored_64"].tolist() == [20] * 4


def test_a_scalar_instruction_at_the_end(tmp_path):
    found = imported(tmp_path, [*filled(1, 1, 0), put(1, 2)])
    assert found.warnings == (
        "core 0, instruction 2 (sldi): the core ends with a scalar instruction: pimsim-nn never sees it finish",
    )


def test_an_immediate_with_a_fraction(tmp_path):
    found = imported(tmp_path, [put(1, 2.5), {"op": "lldi", "rd": 1, "imm": 3, "len": 1}])
    assert found.warnings == (
        "core 0, instruction 0: 'imm' is no whole number, its fraction is dropped (so in 1 instruction)",
    )


def test_a_message_of_two_sizes(tmp_path):
    found = imported(
        tmp_path,
        [*filled(1, 8, 0), {"op": "send", "rd": 1, "core": 1, "size": 8}],
        [{"op": "recv", "rd": 1, "core": 0, "size": 4}],
    )
    assert found.warnings == ("core 0, instruction 2 (send): sends 8 bytes, core 1, instruction 0 (recv) receives 4",)


def test_a_source_in_the_other_register(tmp_path):
    found = imported(
        tmp_path,
        [put(5, 16), *filled(9, 4, 16), {"op": "send", "rs1": 5, "core": 1, "size": 4}],
        [{"op": "recv", "rd": 0, "core": 0, "size": 4}, *stored(0, 4)],
    )
    assert "as 'rs1'" in found.warnings[0]
    assert run(tmp_path)["stored_64"].tolist() == [9] * 4


def test_groups_without_a_map(tmp_path):
    product = {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8}
    numbers = (3, 1, 3)
    first = [WIDE, *filled(1, 4, 8), put(2, 8), put(1, 32), *(product | {"group": number} for number in numbers)]
    found = imported(tmp_path, first)
    assert "config.array_group_map has no groups of core 0" in found.warnings[0]
    kept = read_raw(tmp_path / "out")
    assert kept.groups == {0: (3, 1), 1: ()}
    assert kept.cores[0].group[-3:].tolist() == [0, 1, 0]
    assert [group.cols for group in open_image(tmp_path / "out").program(0).groups] == [6, 2]


def test_bytes_that_nothing_has_written(tmp_path):
    first = [WIDE, *filled(1, 2, 0), *stored(0, 4)]
    found = imported(tmp_path, first)
    assert found.warnings[0].startswith("core 0, instruction 6 (st): it reads local bytes that nothing has written")
    assert run(tmp_path)["stored_64"].tolist() == [1, 1, 0, 0]
    with pytest.raises(ProgramError, match=r"core 0, instruction 6 \(st\).*strict imports refuse that"):
        imported(tmp_path, first, strict=True)


def test_addresses_in_one_register(tmp_path):
    last = [put(31, 512), {"op": "ld", "rd": 1, "rs1": 31, "size": 4}]
    assert imported(tmp_path, last, addresses="single").manifest.inputs[0].name == "memory_512"
    load = [put(2, 512), put(1, 0), {"op": "ld", "rd": 1, "rs1": 2, "size": 4}]
    found = imported(tmp_path, load)
    assert [spec.name for spec in found.manifest.inputs] == ["memory_512"]
    assert found.warnings[0].startswith("core 0, instruction 2 (ld): as a pair of registers")
    with pytest.raises(ProgramError, match=r"instruction 2 \(ld\), key 'rs1': bytes 2199023255552 to"):
        imported(tmp_path, load, addresses="pairs")


def test_memory_that_is_given(tmp_path):
    load = [put(2, 0), put(3, 5), put(1, 0), {"op": "ld", "rd": 1, "rs1": 2, "size": 4}, *stored(0, 4)]
    (tmp_path / "content").write_bytes(bytes(range(9)))
    imported(tmp_path, load, memory=tmp_path / "content")
    assert run(tmp_path)["stored_64"].tolist() == [5, 6, 7, 8]
    (tmp_path / "content").write_bytes(bytes(range(8)))
    with pytest.raises(ProgramError, match="it loads byte 8 of global memory, the memory that is given has 8 bytes"):
        imported(tmp_path, load, memory=tmp_path / "content")


@pytest.mark.parametrize("form", ["npy", "list", "object"])
def test_weights_of_files(tmp_path, form):
    matrix = np.array([[1, -2], [3, 4], [5, 6]], np.int8)  # of a group of 4 x 2
    folder = tmp_path / "weights"
    folder.mkdir()
    if form == "npy":
        np.save(folder / "core_0_0.npy", matrix)
    else:
        parts = [matrix.tolist()] if form == "list" else {"group0": matrix.tolist()}
        (folder / "core_0_weights.json").write_text(json.dumps(parts))
    product = [put(2, 8), put(1, 32), {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8, "group": 0}]
    imported(
        tmp_path,
        [WIDE, *filled(2, 4, 8), *product, *stored(32, 2)],
        config={"array_group_map": {"core0": [1]}},
        weights=folder,
    )
    assert run(tmp_path)["stored_64"].view(np.int8).tolist() == [18, 16]


def test_weights_that_do_not_fit(tmp_path):
    product = [put(2, 8), put(1, 32), {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8, "group": 0}]
    groups = {"array_group_map": {"core0": [1]}}
    for matrix, words in (
        (np.zeros((5, 2), np.int8), "weights [5, 2] of a group of [4, 2]"),
        (np.full((4, 2), 300), "a weight does not fit into i8"),
        (np.zeros((4, 2)), "weights of type float64, the group has i8"),
        ([[1.5, 2]], "weights of type float64, the group has i8"),
        ([["1", 2]], "expected rows of numbers, all equally long"),
        ([[None, 2]], "expected rows of numbers, all equally long"),
        ([[1, 2], [3]], "expected rows of numbers, all equally long"),
    ):
        npy, text = tmp_path / "core_0_0.npy", tmp_path / "core_0_weights.json"
        if isinstance(matrix, list):
            npy.unlink(missing_ok=True)
            text.write_text(json.dumps([matrix]))
        else:
            np.save(npy, matrix)
        where = "core_0_weights.json: [0]" if isinstance(matrix, list) else "core_0_0.npy"
        with pytest.raises(ProgramError, match=re.escape(f"{where}: {words}")):
            imported(tmp_path, [WIDE, *filled(2, 4, 8), *product], config=groups, weights=tmp_path)
    text.unlink()
    with pytest.raises(InputError, match="there are no weights of array group 0 of core 0"):
        imported(tmp_path, [WIDE, *filled(2, 4, 8), *product], config=groups, weights=tmp_path)
    assert not (tmp_path / "out").exists()


def test_weights_of_floats(tmp_path):
    product = [put(2, 8), put(1, 32), {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 32, "group": 0}]
    request = {"config": {"array_group_map": {"core0": [1]}, "xbar_size": [4, 8]}, "types": {32: DType.f32}}
    wide = {"op": "setbw", "ibiw": 32, "obiw": 32}
    np.save(tmp_path / "core_0_0.npy", [[np.nan, np.inf]])
    imported(tmp_path, [wide, *filled(1, 16, 8), *product], weights=tmp_path, **request)
    np.save(tmp_path / "core_0_0.npy", [[1e300]])
    with pytest.raises(ProgramError, match="a weight does not fit into f32"):
        imported(tmp_path, [wide, *filled(1, 16, 8), *product], weights=tmp_path, **request)


def test_a_directory_with_its_own_weights_and_memory(tmp_path):
    cores = tmp_path / "cores"
    cores.mkdir()
    (cores / "config.json").write_text(json.dumps({**CONFIG, "core_cnt": 1, "array_group_map": {"core0": [1]}}))
    load = [put(5, 0), put(6, 4), put(1, 8), {"op": "ld", "rd": 1, "rs1": 5, "size": 4}]
    product = [put(2, 8), put(1, 32), {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8, "group": 0}]
    (cores / "core_0.json").write_text(json.dumps([WIDE, *load, *product, *stored(32, 2)]))
    (cores / "core_0_weights.json").write_text(json.dumps([[[1, 2], [3, 4], [5, 6], [7, 8]]]))
    (cores / "memory.bin").write_bytes(bytes(range(8)))
    import_program(ImportRequest(path=cores), tmp_path / "out")
    assert run(tmp_path)["stored_64"].tolist() == [4 + 15 + 30 + 49, 8 + 20 + 36 + 56]


def test_a_directory_without_weights(tmp_path):
    cores = tmp_path / "cores"
    cores.mkdir()
    (cores / "config.json").write_text(json.dumps({**CONFIG, "array_group_map": {"core0": [1]}}))
    product = [put(2, 8), put(1, 32), {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8, "group": 0}]
    (cores / "core_0.json").write_text(json.dumps([WIDE, *filled(2, 4, 8), *product, *stored(32, 2)]))
    import_program(ImportRequest(path=cores), tmp_path / "out")  # random ones


def test_where_in_the_file_an_instruction_is_from(tmp_path):
    add = {"op": "vvadd", "rd": 1, "rs1": 1, "rs2": 1, "len": 4}
    rows = [i for k in range(6) for i in (put(1, 64 * k), add)]
    imported(tmp_path, [WIDE, *filled(5, 512, 0), *rows, *stored(0, 4)])
    program = open_image(tmp_path / "out").program(0)
    named = {instr.text: program.sources[instr.source] for instr in map(program.main.decode, range(len(program.main)))}
    assert named["vvadd.i8"].name == "core0[4 + 2*i0]" and named["loop"].name == "core0[3]"
    assert named["lldi"].name == "core0[2]" and named["st"].name == "core0[18]"
    imported(tmp_path, [WIDE, *filled(5, 512, 0), *rows], rolls=False)
    program = open_image(tmp_path / "out").program(0)
    assert [source.name for source in program.sources[1:]] == [f"core0[{4 + 2 * k}]" for k in range(6)]


def test_too_much_memory_is_loaded(tmp_path):
    size = 100 << 20
    load = [
        i
        for k in range(3)
        for i in (put(2, 0), put(3, k << 28), put(1, 0), {"op": "ld", "rd": 1, "rs1": 2, "size": size})
    ]
    with pytest.raises(ProgramError, match=rf"program\.json: it loads {3 * size} bytes of global memory, more than"):
        imported(tmp_path, load)


LOADED = [put(6, 0), put(7, 8), {"op": "sld", "rd": 5, "rs1": 6}]
REFUSED = [
    ([WIDE, put(1, -4), {"op": "lldi", "rd": 1, "len": 2}], "(lldi), key 'rd': bytes -4 to -2 are not"),
    ([{"op": "setbw", "ibiw": 24, "obiw": 8}, {"op": "vrelu", "len": 1}], "(vrelu), key 'ibiw': elements of 3 bytes"),
    ([{"op": "setbw", "ibiw": 0, "obiw": 8}, {"op": "vrelu", "len": 1}], "(vrelu), key 'ibiw': elements of 0 bytes"),
    ([*LOADED, {"op": "ld", "rd": 1, "rs1": 5, "size": 1}], "(ld), key 'rs1': its address of global memory comes from"),
    ([WIDE, *LOADED, {"op": "vmv", "rs2": 5, "len": 1}], "(vmv), key 'rs2': it comes from memory"),
    ([{"op": "vrelu", "len": 1 << 27}], "(vrelu), key 'len': its operands leave no room"),
    ([WIDE, {"op": "send", "core": 0, "size": 4}], "send: core 0 cannot be its own peer"),
    ([WIDE, {"op": "wait", "event_register": 1, "wait_value": -1}], "wait: value -1 is out of range 0"),
    ([{"op": "mvmul", "mbiw": 8, "group": 0}], "(mvmul), key 'group': no number of crossbars"),
    ([{"op": "mvmul", "mbiw": 32, "group": 1}], "(mvmul), key 'mbiw': no weight of 32 bits fits"),
]


@pytest.mark.parametrize(("first", "words"), REFUSED, ids=[words.split(":")[0] for _, words in REFUSED])
def test_what_is_refused(tmp_path, first, words):
    with pytest.raises(ProgramError, match=rf"program\.json: core 0, instruction \d+.* .*{re.escape(words[1:])}"):
        imported(tmp_path, first)
    assert not (tmp_path / "out").exists()


def test_types_by_width(tmp_path):
    assert parse_types("8=u8, 32=f32") == {8: DType.u8, 32: DType.f32}
    for text, words in (("8=i16", "'8=i16' is no width"), ("8=u8,8=i8", "width 8 is there twice"), ("", "'' is no")):
        with pytest.raises(InputError, match=words):
            parse_types(text)
    first = [WIDE, *filled(200, 2, 0), put(1, 8), put(2, 0), put(3, 9)]
    clamp = {"op": "vrsu", "rd": 1, "rs1": 2, "rs2": 3, "len": 2}
    imported(tmp_path, [*first, clamp, *stored(8, 2)], types={8: DType.u8})
    assert run(tmp_path)["stored_64"].tolist() == [9, 9]
    imported(tmp_path, [*first, clamp, *stored(8, 2)])
    assert run(tmp_path)["stored_64"].view(np.int8).tolist() == [-56, -56]


def test_floats_are_not_shifted(tmp_path):
    shift = {"op": "vvsll", "rd": 1, "rs1": 1, "rs2": 1, "len": 1}
    with pytest.raises(ProgramError, match=r"instruction 1 \(vvsll\), key 'op': floats cannot be shifted"):
        imported(tmp_path, [{"op": "setbw", "ibiw": 32, "obiw": 32}, shift], types={32: DType.f32})


def test_many_bytes_that_nothing_has_written(tmp_path):
    """Bytes between them that are written first may be zeroed with them: not each needs an instruction of its own."""
    gathered = [put(2, 0), put(1, 4096), put(7, 3), {"op": "vmv", "rd": 1, "rs1": 2, "rs2": 7, "len": 1000}]
    imported(tmp_path, [WIDE, *filled(5, 1, 1), *filled(7, 1, 6), *gathered, *stored(4096, 1000)])
    assert len(open_image(tmp_path / "out").program(0).main) < 300
    assert run(tmp_path)["stored_64"].tolist() == [0, 0, 7] + [0] * 997
