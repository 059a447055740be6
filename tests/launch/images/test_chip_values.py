"""What stands on several chips, and what crosses between them, as it is told."""

import json
from pathlib import Path

from click.testing import CliRunner, Result
from commands import DIGITS

from emu.arch import Arch
from emu.arch.system import System
from emu.census.census import census_of
from emu.isa.address import Address
from emu.noc.traffic.traffic import MEMORY
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from launch.cli import cli
from launch.images.chips import chip_line, chip_values


def program(core: int, **peers: int) -> Program:
    """Loads 8 bytes, sends so many bytes three times to each peer, stores 4 bytes."""
    build = SectionBuilder()
    build.emit("ld", (), (Address(0), Address(0)), size=8)
    for name, size in peers.items():
        with build.loop(3):
            build.emit("send", (), (Address(0),), core=int(name[1:]), size=size)
    build.emit("st", (), (Address(0), Address(0)), size=4)
    build.emit("halt")
    return Program(core, main=build.finish())


PROGRAMS = {0: program(0, c1=10, c4=20), 1: program(1, c0=5), 4: program(4, c1=7, c5=1), 5: program(5)}


def test_cores_and_what_crosses_are_added_up_by_chip() -> None:
    census = census_of(PROGRAMS, Arch(cores=4, system=System(chips=3)))
    values = chip_values(census)
    assert values is not None
    assert values["of_each"] == [
        {"chip": 0, "cores": 2, "crossbars": 0},
        {"chip": 1, "cores": 2, "crossbars": 0},
    ]
    assert values["pairs"] == [
        {"from": 0, "to": 1, "messages": 3 + 2, "bytes": 3 * 20 + 2 * 8},
        {"from": 1, "to": 0, "messages": 3 + 2, "bytes": 3 * 7 + 2 * 4},
    ]
    assert (values["chips"], values["messages"], values["bytes"]) == (3, 10, 105)
    assert chip_line(values) == (
        "2 of 3 chips in use, with 2 cores each; per sample 10 messages with 105 B cross between them, most from chip 0"
        " to chip 1: 76 B"
    )
    assert MEMORY not in {core for pair in census.traffic for core in pair}


def test_of_one_chip_nothing_is_told() -> None:
    assert chip_values(census_of(PROGRAMS, Arch(cores=8))) is None


def test_chips_that_are_not_in_use_are_none_to_others() -> None:
    census = census_of({0: program(0, c1=4), 1: program(1)}, Arch(cores=4, system=System(chips=2)))
    values = chip_values(census)
    assert values is not None
    assert chip_line(values) == "1 of 2 chips in use, with 2 cores; per sample nothing crosses between them"


def emu(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def test_compiler_and_info_tell_the_same(tmp_path: Path) -> None:
    (tmp_path / "few.toml").write_text(
        '[chip]\nbase = "isaac"\ncores = 4\n[core]\ncrossbars = 16\n[network]\nwidth = 0\n'
    )
    options = ("--arch", tmp_path / "few.toml", "--chips", "auto", "--arrange", "cut", "--golden", "none")
    made = emu("compile", DIGITS, "-o", tmp_path / "out", *options)
    assert made.exit_code == 0, made.output
    told = emu("info", tmp_path / "out").output
    (line,) = [line for line in made.output.splitlines() if "chips in use" in line]
    assert line in told and "between chips" in told
    values = json.loads(emu("info", tmp_path / "out", "--json").output)
    assert values["chips"]["chips"] == 2 and values["options"]["chips"] == "2" and values["arch_cores"] == 8
    assert emu("check", tmp_path / "out").exit_code == 0
    assert emu("time", tmp_path / "out").exit_code == 0


def test_a_search_compares_on_chips_that_stay(tmp_path: Path) -> None:
    words = ("compile", DIGITS, "-o", tmp_path / "out", "--arch", "isaac", "--optimise", "latency", "--candidates", 2)
    refused = emu(*words, "--chips", "auto")
    assert refused.exit_code == 2 and "--chips auto" in refused.output and "--optimise" in refused.output
    assert emu(*words, "--chips", 2, "--cores", 8).exit_code == 0
