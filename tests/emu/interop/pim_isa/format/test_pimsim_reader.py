"""A program is the same in every form; what is no program is refused in a sentence that names the place."""

import gzip
import json
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pim_binary import binary
from pimsim_files import example, written
from pimsim_programs import programs

from emu.errors import ProgramError
from emu.interop.pim_isa.format import json_file
from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.format.reader import read_program


def equal(one, other):
    assert list(one.cores) == list(other.cores) and one.groups == other.groups
    for core, columns in one.cores.items():
        for field in fields(CoreColumns):
            column, wanted = (getattr(c, field.name) for c in (columns, other.cores[core]))
            assert column.dtype == wanted.dtype
            assert np.array_equal(column, wanted), (core, field.name)


def without_second_sources(program):
    """Binary files have no place for that of a scalar instruction."""
    for core, instructions in program.items():
        if core != "config":
            for instruction in instructions:
                if instruction["op"].startswith("s") and "rs2" in instruction:
                    del instruction["rs2"]
    return program


def test_columns_hold_what_the_file_says(tmp_path):
    program = read_program(written(tmp_path, example()))
    assert program.instructions == 15 and program.groups == {0: (1,), 1: (1,)} and not program.warnings
    first = program.cores[0]
    assert first.op.tolist() == [8, 1, 1, 25, 1, 9, 29]
    assert first.imm.tolist() == [0, 0, 4096, 0, 8192, 0, 0]
    assert first.size.tolist() == [0, 0, 0, 128, 0, 0, 128] and first.core.tolist() == [0] * 6 + [1]
    assert (first.ibiw[0], first.mbiw[5], first.rs1[5]) == (8, 8, 1)


@pytest.mark.parametrize("indent", [None, 0, 4])
@pytest.mark.parametrize("pack", [False, True])
def test_plain_and_gzip_and_any_white_space(tmp_path, indent, pack):
    text = json.dumps(example(), indent=indent).encode()
    (tmp_path / "p").write_bytes(gzip.compress(text) if pack else text)
    equal(read_program(tmp_path / "p"), read_program(written(tmp_path, example())))


@pytest.mark.parametrize("behind", [0, 1, 2, 3, 40])
def test_texts_across_the_pieces_of_a_file(tmp_path, monkeypatch, behind):
    monkeypatch.setattr(json_file, "PIECE", 64)
    text = '"]}, \\\\ \\" {['
    (tmp_path / "p").write_text(
        f'{{"x":{{"a":"{"-" * behind}","b":{text}"}},"config":{{"core_cnt":1,"y":{text}"}},"core0":[]}}'
    )
    assert read_program(tmp_path / "p").cores[0].count == 0


def test_endless_texts_are_read_once(tmp_path):
    for begin in ('{"config":"', '{"config":{"a":"', '{"config":{'):
        (tmp_path / "p").write_text(begin + ('"a":1,' if begin[-1] == "{" else '\\"') * 400_000)
        with pytest.raises(ProgramError, match="malformed JSON: the text ends within a"):
            read_program(tmp_path / "p")


def test_a_directory_of_lists_or_of_binary_files(tmp_path):
    program = example()
    for name in ("lists", "binary"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(program["config"]))
    for core in (0, 1):
        (tmp_path / "lists" / f"core_{core}.json").write_text(json.dumps(program[f"core{core}"]))
        (tmp_path / "binary" / f"core_{core}.pim").write_bytes(binary(program[f"core{core}"]))
    wanted = read_program(written(tmp_path, program))
    equal(read_program(tmp_path / "lists"), wanted)
    equal(read_program(tmp_path / "binary"), wanted)


@given(programs(most=15), st.integers(1, 60))
def test_pieces_of_any_size_make_the_same_columns(tmp_path_factory, program, piece):
    folder = tmp_path_factory.mktemp("forms")
    file = written(folder, program)
    whole = read_program(file)
    before, json_file.PIECE = json_file.PIECE, piece
    try:
        equal(read_program(file), whole)
    finally:
        json_file.PIECE = before


@given(programs(most=15).map(without_second_sources))
def test_binary_files_hold_the_same(tmp_path_factory, program):
    folder = tmp_path_factory.mktemp("forms")
    (folder / "config.json").write_text(json.dumps(program["config"]))
    for core in range(program["config"]["core_cnt"]):
        (folder / f"core_{core}.pim").write_bytes(binary(program[f"core{core}"]))
    equal(read_program(folder), read_program(written(folder, program)))


def test_keys_that_nobody_knows_are_warned_of_and_ignored(tmp_path):
    program = example() | {"author": {"name": "]}", "cores": [0, [1]]}}
    program["core0"][2]["note"] = "sum"
    program["core1"][1]["imm"] = 256.5
    found = read_program(written(tmp_path, program))
    equal(found, read_program(written(tmp_path, example())))
    assert found.warnings == (
        "core 0, instruction 2: key 'note' is unknown and ignored",
        "core 1, instruction 1: 'imm' is no whole number, its fraction is dropped (so in 1 instruction)",
        "key 'author' is unknown and ignored",
    )


CORE = '{"config": {"core_cnt": 1}, "core0": [%s]}'
OF_GROUPS = '{"config": {"core_cnt": 1, "array_group_map": %s}}'
BAD = {
    "": "byte 0: malformed JSON: expected '{', found the end",
    "\ufeff{}": "byte 0: malformed JSON: expected '{', found a byte order mark: save it as UTF-8 without",
    CORE
    % '{"op": "lmv", "offset_value": 2147483647, "offset": {"offset_value": 1}}': "'offset_value': it does not fit",
    "[]": "byte 0: malformed JSON: expected '{', found '['",
    "{}": "key 'config' is missing",
    '{"config": {}}': "config: key 'core_cnt' is missing",
    '{"config": {"core_cnt": 0}}': "config.core_cnt: expected an integer from 1 to 65536, got 0",
    '{"config": {"core_cnt": 1}}': "it has no core",
    '{"config": {"core_cnt": 1}, "core1": []}': "core 1 is beyond config.core_cnt = 1",
    '{"config": {"core_cnt": 1}, "core0": [], "core0": []}': "key 'core0' occurs twice",
    '{"config": {"core_cnt": 1}, "core0": {}}': "malformed JSON: expected '[', found '{'",
    '{"config": {"core_cnt": 1}, "core0": []} 3': "malformed JSON: text after the end",
    '{"config": {"core_cnt": 1}, "core0": [],}': "malformed JSON: expected '\"', found '}'",
    '{"config": {"core_cnt": 1}, "core0": [{"op": "lmv"': "malformed JSON: the text ends within the list of a core",
    OF_GROUPS % '{"core0": [0]}': "config.array_group_map.core0[0]: expected an integer",
    OF_GROUPS % '{"a": [1]}': "config.array_group_map.a: expected core0, core1",
    '{"config": ' + "[" * 50_000: "malformed JSON: the text ends within a value",
    '{"config": ' + "[" * 50_000 + "]" * 50_000 + "}": "not valid JSON",
    CORE % "3": "core 0, instruction 0: expected object, got int",
    CORE % '{"op": "sldi"}, {"rd": 1}': "core 0, instruction 1: object missing required field op",
    CORE % '{"op": "lmv"}, {"op": "sldy"}': "instruction 1, key 'op': 'sldy' is no instruction; did you mean 'sld'?",
    CORE % '{"op": "sldi"}, {"op": "lmv",}': "core 0, instruction 1: malformed JSON: trailing comma in object",
    CORE % '{"op": "sldi"}, {"op": "lmv", "x": [1]}': "core 0, instruction 1: malformed JSON: it ends at the first ']'",
    CORE % '{"op": "sldi", "rd": 32}': "core 0, instruction 0, key 'rd': expected int <= 31",
    CORE % '{"op": "sldi", "rd": 1.5}': "core 0, instruction 0, key 'rd': expected int, got float",
    CORE % '{"op": "sldi", "imm": 4294967296}': "core 0, instruction 0, key 'imm': it does not fit into 32 bits",
    CORE % ('{"op": "sldi", "imm": %s}' % ("9" * 400)): "core 0, instruction 0, key 'imm': ",
    CORE % '{"op": "lmv", "len": 9999999999}': "core 0, instruction 0, key 'len': expected int <= 2147483647",
    CORE % '{"op": "lmv", "offset": {"offset_value": "1"}}': "instruction 0, key 'offset.offset_value': expected int",
    CORE % ('{"op": "lmv", "x": ' + '{"a": ' * 50_000 + "1" + "}" * 50_001): "malformed JSON: nested too deeply",
}


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_bad_text_is_refused(tmp_path, text):
    with pytest.raises(ProgramError) as error:
        read_program(written(tmp_path, text))
    assert str(error.value).startswith(str(tmp_path / "program.json")) and BAD[text] in str(error.value)


@pytest.mark.parametrize("damage", [slice(0, 40), slice(0, -3), slice(0, 2)])
def test_damaged_gzip(tmp_path, damage):
    packed = gzip.compress(json.dumps(example()).encode())
    (tmp_path / "p.gz").write_bytes(packed[damage])
    with pytest.raises(ProgramError, match="damaged gzip data"):
        read_program(tmp_path / "p.gz")
    (tmp_path / "p.gz").write_bytes(packed + b"more")
    with pytest.raises(ProgramError, match="damaged gzip data"):
        read_program(tmp_path / "p.gz")


def test_a_bomb_is_refused_before_it_is_all_there(tmp_path):
    with gzip.open(tmp_path / "p.gz", "wb") as file:
        file.write(b'{"config": {"core_cnt": 1}, "core0": [')
        for _ in range(64):
            file.write(b" " * (1 << 20))
    with pytest.raises(ProgramError, match="an instruction or value of more than 8388608 bytes"):
        read_program(tmp_path / "p.gz")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "no PIM binary"),
        (b"PIMB" + bytes(4), "no PIM binary"),
        (b"PIMC" + bytes(8), "no PIM binary"),
        (b"PIMB" + bytes(8), "version 0 of PIM binaries is unknown"),
        (binary([{"op": "lmv"}])[:-1], "the header promises 1 instructions, the file has 0.95"),
        (b"PIMB\1\0\0\0\xff\xff\xff\xff", "the header promises 4294967295 instructions, the file has 0"),
        (binary([{"op": "lmv"}, {"op": "vsoftmax"}]), "core 0, instruction 1: code 21 (vsoftmax) is no instruction"),
        (binary([{"op": "lmv"}]).replace(b"\x1c", b"\xff"), "core 0, instruction 0: code 255 is no instruction"),
        (binary([{"op": "sldi", "rd": 77}]), "core 0, instruction 0, key 'rd': there is no register 77"),
        (binary([{"op": "vvadd", "rs2": -1}]), "core 0, instruction 0, key 'rs2': there is no register -1"),
    ],
)
def test_bad_binary_files(tmp_path, content, sentence):
    (tmp_path / "config.json").write_text('{"core_cnt": 1}')
    (tmp_path / "core_0.pim").write_bytes(content)
    with pytest.raises(ProgramError) as error:
        read_program(tmp_path)
    assert str(error.value).startswith(str(tmp_path / "core_0.pim")) and sentence in str(error.value)


def test_bad_directories(tmp_path):
    with pytest.raises(ProgramError, match=r"there is no config\.json in it"):
        read_program(tmp_path)
    (tmp_path / "config.json").write_text('{"core_cnt": 2}')
    with pytest.raises(ProgramError, match="it has no core"):
        read_program(tmp_path)
    for name in ("core_1.json", "core_1.pim"):
        (tmp_path / name).write_text("[]")
    with pytest.raises(ProgramError, match=r"core 1 has two files, core_1\.json and core_1\.pim"):
        read_program(tmp_path)
