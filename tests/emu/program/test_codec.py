"""Program files: round trips, versions, and nothing but ProgramError from damaged bytes."""

from dataclasses import replace

import msgpack
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies_programs import ARCH, GroupSpec, programs
from tensors import image_buffer

from emu.errors import ProgramError
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.codec import decode_program, encode_program, without_core
from emu.program.columns import KEYS
from emu.program.program import Data, Program, Source
from emu.program.validate import validate_program


def example() -> Program:
    build = SectionBuilder()
    build.source = 0
    with build.loop(3):
        build.emit("nop")
    group = GroupSpec(DType.i8, DType.i8, DType.i32, (6, 2), (4,), 64)
    buffer = image_buffer("tensör", (0, 3), 2, 2, DType.i8, 16, 2, total=5)
    return Program(
        5,
        (group,),
        (Data(8, b"abc"),),
        ((32, 4),),
        main=build.finish(),
        sources=(Source("nöde", "p"),),
        buffers=(buffer,),
    )


@given(programs())
@settings(max_examples=examples(50, 100))
def test_programs_survive(program):
    data = encode_program(program)
    assert decode_program(data, "here") == program
    assert encode_program(decode_program(data, "here")) == data


@given(programs(), st.sampled_from([0, 1, 127, 128, 255, 256, 65535, 65536, 1 << 31]))
@settings(max_examples=examples(50, 100))
def test_files_without_their_cores_are_equal_if_nothing_else_differs(program, core):
    found, rest = without_core(encode_program(replace(program, core=core)))
    assert found == core
    assert without_core(encode_program(program)) == (program.core, rest)
    assert without_core(encode_program(replace(program, state=((8, 8), *program.state))))[1] != rest


def test_a_core_that_is_not_at_its_place_is_not_found():
    data = encode_program(example())
    at = data.index(b"\xa4core") + 5
    for other in (b"", data[:at], data[: at - 3], data[:at] + b"\xff" + data[at + 1 :], b"x" + data):
        assert without_core(other) == (-1, other)


def test_bytes_do_not_depend_on_trip_counts():
    sizes = set()
    for trips in (1, 224, 100_000):
        build = SectionBuilder()
        with build.loop(trips):
            build.emit("nop")
        sizes.add(len(encode_program(Program(0, main=build.finish()))))
    assert len(sizes) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 6}, r"core_0005.prog: program format version 6 is newer than this emulator's 5"),
        ({"version": 1}, r"core_0005.prog: program format version 1 is older than this emulator's 5: compile again"),
        ({"buffer.rank": ["<i8", (9).to_bytes(8, "little")]}, r"the lengths of the parts of dimension.size do not"),
        ({"version": "1"}, r"version '1' is not a number"),
        ({"format": "other"}, r"core_0005.prog: not a program file"),
        ({"core": -1}, r"core -1 is not a core number"),
        ({"extra": 1}, r"unknown key 'extra'"),
        ({"main.instruction.op": ["<u2", b"abc"]}, r"key 'main.instruction.op' is not a column of <u2 elements"),
        ({"main.instruction.op": ["<u4", b"abcd"]}, r"key 'main.instruction.op' is not a column of <u2"),
        ({"main.instruction.op": "x"}, r"key 'main.instruction.op' is not a column of <u2"),
        ({"main.instruction.op": ["<u2", b""]}, r"the columns of table main.instruction differ in length"),
        ({"text.byte": ["|u1", b"\xff" * 16]}, r"is not UTF-8 text: compile again"),
        ({"text.byte": ["|u1", b"abc"]}, r"the lengths of the parts of text.byte do not add up"),
        ({"data.length": ["<i8", b"\xff" * 8]}, r"the lengths of the parts of content.byte do not add up"),
        ({"data.length": ["<i8", b"\xff" * 7 + b"\x7f"]}, r"the lengths of the parts of content.byte do not add up"),
        ({"group.input": ["|u1", b"\x09"]}, r"9 is not a valid DType"),
    ],
)
def test_changed_keys_are_refused(change, message):
    record = msgpack.unpackb(encode_program(example())) | change
    with pytest.raises(ProgramError, match=message):
        decode_program(msgpack.packb(record), "core_0005.prog")


@pytest.mark.parametrize("key", list(KEYS)[::9])
def test_missing_keys_are_named(key):
    record = msgpack.unpackb(encode_program(example()))
    del record[key]
    with pytest.raises(ProgramError, match=f"key '{key}' is missing"):
        decode_program(msgpack.packb(record), "here")


def test_other_files_are_refused():
    for data in (b"", b"\x01", b"not msgpack at all", msgpack.packb([1] * 3), b"\xdd\xff\xff\xff\xff" * 1000):
        with pytest.raises(ProgramError, match="here: "):
            decode_program(data, "here")


def test_every_truncation_is_refused():
    data = encode_program(example())
    for length in range(0, len(data), 7):
        with pytest.raises(ProgramError, match="here: "):
            decode_program(data[:length], "here")


@given(st.data())
@settings(max_examples=examples(150, 300))
def test_mutations_never_give_anything_but_program_errors(data):
    content = bytearray(encode_program(example()))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        validate_program(decode_program(bytes(content), "here"), ARCH, "here", {1, 2})
    except ProgramError as error:
        assert str(error).startswith("here: ")


def test_what_cannot_be_stored_is_refused():
    with pytest.raises(ProgramError, match=r"core 5: the program cannot be stored: group.offset does not fit in int64"):
        encode_program(replace(example(), groups=(replace(example().groups[0], offset=1 << 70),)))
    with pytest.raises(ProgramError, match=r"core 5: the program cannot be stored: .*surrogates not allowed"):
        encode_program(replace(example(), sources=(Source("\ud800"),)))
