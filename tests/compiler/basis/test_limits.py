"""The page of limits says what the code does."""

import re
from pathlib import Path

from compiler.basis import limits
from compiler.interpreter.host.structured import AT_ONCE
from compiler.offload.calls import TURNS
from compiler.offload.cinm_tile import AT_ONCE as TILES
from compiler.offload.unbatch import UnbatchPass
from compiler.session.source_text import MAX_TEXT as MAX_STAGE
from emu.arch.read import MAX_FILE
from emu.asm.assembler import MAX_DATA, MAX_TEXT
from emu.image.npy_stream import MAX_HEADER
from emu.image.npz import MAP_FROM, MAX_CONTENTS, MAX_INFLATED
from emu.image.reader import MAX_MANIFEST, MAX_PROGRAM
from emu.interop.mop import parser
from emu.interop.pim_isa.format import config_keys, json_core, json_file, network
from launch.machines.content import store

PAGE = (Path(__file__).parents[3] / "docs" / "limits.md").read_text()
UNITS = {"KiB": 10, "MiB": 20, "GiB": 30}


def test_budgets_of_networks() -> None:
    stated = [int(number) for number in re.findall(r"^\|.*\| ([0-9]+) \|$", PAGE, re.MULTILINE)]
    budgets = {name: value for name, value in vars(limits).items() if name.isupper() and name != "FOLDED_PER_STORED"}
    assert sorted(stated) == sorted(budgets.values())
    assert f"besides {limits.FOLDED_PER_STORED} for each byte" in PAGE


def test_numbers_of_host_programs() -> None:
    stated = [int(number) for number in re.findall(r"^\|.*\| ([0-9]+)[ ,;][^|]* \|$", PAGE, re.MULTILINE)]
    assert [limits.MAX_ELEMENTS, TURNS, TILES, UnbatchPass().written_out, AT_ONCE] == stated[-5:]


def test_sizes_of_files() -> None:
    found = [int(number) << UNITS[unit] for number, unit in re.findall(r"([0-9]+) (KiB|MiB|GiB)", PAGE)]
    foreign = [json_file.MAX_TEXT, config_keys.MAX_BYTES, network.MAX_BYTES]
    texts, archives = (
        [MAX_TEXT, MAX_DATA, parser.MAX_FILE, store.MOST, MAX_STAGE],
        [MAX_CONTENTS, MAX_INFLATED, MAP_FROM],
    )
    assert found == [MAX_MANIFEST, MAX_PROGRAM, MAX_FILE, *foreign, *texts, *archives]
    assert f"{json_core.MAX_INSTRUCTIONS:,} instructions" in PAGE
    assert f"a header of {MAX_HEADER} bytes" in PAGE
