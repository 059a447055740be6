"""`check`, `launch`, `debug` and `info` of assembly text: what they say names its lines, and nothing is left behind."""

import json
import re
from pathlib import Path

import pytest
from commands import Emu
from hypothesis import given
from hypothesis import strategies as st
from program_sets import DEADLOCKS
from stepper import program

from emu.arch import Arch
from emu.check import check_programs
from emu.noc.deadlock.loss import Loss
from emu.noc.deadlock.place import ProgramPlace
from emu.noc.deadlock.waitfor import Blocked, Direction
from launch.cli.text_lines import TextLines

ASM = """\
arch tiny
input "x" f32[1, 4] at 0x00
output "y" f32[1, 4] at 0x10

core 0 {
  main {
    ld l[0x00], g[0x00], 16
    loop i0 2 {
      vvadd.f32 l[0x10], l[0x00], l[0x00], 4   ; line 9
    }
    send core 1, l[0x10], 16                   ; line 11
    halt
  }
}
core 1 {
  main {
    recv core 0, l[0x00], 16                   ; line 17
    st g[0x10], l[0x00], 16
    halt
  }
}
"""
UNDEFINED = ASM.replace("l[0x00], 4 ", "l[0x20], 4 ")


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of text in the current directory; temporary files go beside it, where the test can look for them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return tmp_path / "two.asm"


def left(text: Path) -> list[str]:
    return [path.name for path in (text.parent / "tmp").iterdir() if "asm" in path.name]


def test_a_right_text(emu: Emu, text: Path) -> None:
    text.write_text(ASM)
    for words in (["check", "two.asm"], ["launch", "two.asm", "--sequential", "--input", "x=1,2,3,4", "--print"]):
        result = emu(*words)
        assert (result.exit_code, result.stderr) == (0, ""), result.stderr
    assert "y: [[2, 4, 6, 8]]" in result.stdout
    assert "2 of 1024 cores hold a program" in emu("info", "two.asm").stdout
    assert emu("check", "two.asm").stdout.splitlines()[-1].startswith("two.asm: 2 cores, all proved")
    assert json.loads(emu("info", "two.asm", "--json").stdout)["path"] == "two.asm"
    assert left(text) == []


@pytest.mark.parametrize("way", [("--sequential",), ("--engine", "step")], ids=" ".join)
def test_places_are_lines(emu: Emu, text: Path, way: tuple[str, ...]) -> None:
    text.write_text(UNDEFINED)
    where = (
        "core 0 at main[2] (two.asm:9) vvadd.f32 (sample 0, loops [0]): undefined read, operand src2, address 0x0020"
    )
    assert where in emu("check", "two.asm").stdout
    trapped = emu("launch", "two.asm", "--no-check", *way, "--json")
    sentence = where.replace("core 0 at", "core 0 trapped at")
    assert (trapped.exit_code, trapped.stderr) == (3, f"error: {sentence}\n")
    assert json.loads(trapped.stdout)["error"] == sentence
    (text.parent / "steps").write_text("continue\n")
    assert f"trap: {sentence}\n" in emu("debug", "two.asm", "--script", "steps").stdout
    assert left(text) == []


def test_places_of_several_cores(emu: Emu, text: Path) -> None:
    text.write_text(ASM.replace("send core 1", "recv core 1"))
    result = emu("launch", "two.asm", "--no-check", "--sequential")
    assert result.exit_code == 4
    for place in ("core 1 at main[3] (two.asm:11) recv", "core 0 at main[0] (two.asm:17) recv"):
        assert f"waits for message 0 from {place}" in result.stderr, result.stderr


def test_a_wrong_text_is_told_as_by_assemble(emu: Emu, text: Path) -> None:
    text.write_text(ASM.replace("vvadd.f32", "vvadd.f33"))
    told = [emu("check", "two.asm"), emu("import", "two.asm", "-o", "out")]
    assert [result.exit_code for result in told] == [2, 2] and told[0].stderr == told[1].stderr
    text.write_text(ASM)
    refused = emu("time", "two.asm")
    assert refused.exit_code == 2
    assert left(text) == []


SENT_FIRST = [("lldi", 0, 7, 8), ("nop",), ("send", 1, 0, 8)]
SETS = {
    **{name: programs for name, (programs, *_) in DEADLOCKS.items()},
    "sizes": {0: program(0, *SENT_FIRST), 1: program(1, ("recv", 0, 0, 4))},
    "too many": {0: program(0, *SENT_FIRST, ("send", 1, 0, 8)), 1: program(1, ("recv", 0, 0, 8))},
    "races": {0: program(0, *SENT_FIRST[:2], ("st", 0, 0, 8)), 1: program(1, ("lldi", 0, 7, 8), ("st", 4, 0, 8))},
}


def standing(core: int, place: ProgramPlace) -> str:
    return f"{core}: {place.section}[{place.index}]"


@pytest.mark.parametrize("name", SETS)
def test_what_the_checker_says_names_the_right_lines(name: str) -> None:
    """Every line in its sentences is that of a place that it has found."""
    programs = SETS[name]
    lines = TextLines(
        Path("a.asm"), Path("/x"), {core: {"main": range(100 * core, 100 * core + 50)} for core in programs}
    )
    count = 0
    for verdict in check_programs(programs, Arch()).refuted:
        result, wanted = verdict.result, set[str]()
        if result.deadlock:
            wanted |= {standing(edge.core, edge.place) for edge in result.deadlock.edges}
        if result.finding:
            wanted.add(standing(result.finding.core, result.finding.place))
        found = re.findall(r"main\[(\d+)\] \(a\.asm:(\d+)\) (\w+)", lines.located(verdict.detail))
        assert len(found) == verdict.detail.count("main[")
        for index, line, mnemonic in found:
            core, at = divmod(int(line), 100)
            assert at == int(index) and programs[core].main.instr(at).spec.name == mnemonic
        assert wanted <= {f"{int(line) // 100}: main[{index}]" for index, line, _ in found}
        count += len(found)
    assert count


@pytest.mark.parametrize("direction", [Direction.SEND, Direction.RECV, Direction.WAIT])
def test_what_a_loss_says_names_the_right_lines(direction: Direction) -> None:
    places = [ProgramPlace("main", index, "recv", (), 0, "") for index in (3, 6)]
    lost = Loss(Blocked(2, direction, 1, 40, places[0]), places[1] if direction is not Direction.WAIT else None)
    lines = TextLines(Path("a.asm"), Path("/x"), {1: {"main": range(100, 110)}, 2: {"main": range(200, 210)}})
    told = lines.located(str(lost))
    assert "main[3] (a.asm:203) recv" in told
    assert direction is Direction.WAIT or "main[6] (a.asm:106) recv" in told


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["init", "main"]), st.integers(0, 5))))
def test_a_place_is_of_the_core_before_it(places: list[tuple[int, str, int]]) -> None:
    lines = TextLines(Path("a.asm"), Path("/x/a"), {core: {"main": [10 * core, 10 * core + 1]} for core in range(3)})
    told = "; ".join(f"core {core} at {section}[{index}] ld" for core, section, index in places)
    known = [core < 3 and section == "main" and index < 2 for core, section, index in places]
    wanted = [
        f"core {core} at {section}[{index}]{f' (a.asm:{10 * core + index})' if is_known else ''} ld"
        for (core, section, index), is_known in zip(places, known, strict=True)
    ]
    assert lines.located(told) == "; ".join(wanted)
    assert lines.located("/x/a: main[0]") == "a.asm: main[0]"
