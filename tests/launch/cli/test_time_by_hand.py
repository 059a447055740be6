"""The example of docs/timing.md: every moment, count and energy that the page gives is computed."""

import json
import re
from pathlib import Path

import pytest
from commands import Emu

from emu.noc.ports.port import FlowControl
from emu.timing.basis.log import OperationPhase
from emu.timing.executor.step import step
from emu.timing.fast.fast import fast
from launch.timing.timed_image import time_image

PAGE = (Path(__file__).parents[3] / "docs" / "timing.md").read_text("utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return found


def table(first: str) -> list[list[str]]:
    """The rows of the table whose header begins so."""
    lines = PAGE[PAGE.index(f"| {first} ") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from emu.asm.assembler import assemble

    folder = tmp_path_factory.mktemp("by-hand")
    (folder / "by-hand.toml").write_text(block("toml"))
    (folder / "two.asm").write_text(block("asm"))
    assemble(folder / "two.asm", folder / "out")
    return folder / "out"


def test_every_moment(image: Path) -> None:
    timed = time_image(image, None, FlowControl(), 1)
    log = step(timed.setup, log=True).log
    assert log is not None
    found = []
    for core, entry in timed.setup.cores.items():
        section = entry.sections["main"].view.section
        for index in range(len(section)):
            mine = (log.core == core) & (log.section == 1) & (log.instruction == index)
            times = [
                int(log.time[mine & (log.phase == phase)][0])
                for phase in (OperationPhase.START, OperationPhase.FINISHED)
            ]
            found.append([str(core), section.instr(index).spec.name, *(f"{time / 1000:g}" for time in times)])
    assert found == [row[:4] for row in table("core | instruction")]
    assert fast(timed.setup).latency == 136_000


def test_energy_and_samples(emu: Emu, image: Path) -> None:
    result = emu("time", image, "--critical-path", "--json")
    found = json.loads(result.stdout)
    assert (found["latency_ps"], found["period_ps"], found["steady_after"]) == (136_000, 104_000, 1)
    wanted = {name: float(pj) for name, _, pj in table("component | actions")}
    assert {each["component"]: each["dynamic_pj"] for each in found["components"] if each["dynamic_pj"]} == wanted
    counts = {each["component"]: each["counts"] for each in found["components"]}
    assert (counts["crossbar"], counts["dac"], counts["adc"]) == ({"read": 4}, {"convert": 16}, {"convert": 8})
    assert (counts["local_memory"], counts["link"]) == ({"read": 9, "write": 7}, {"flit": 7})
    assert (found["dynamic_pj"], found["static_pj"]) == (sum(wanted.values()), 208) == (105, 208)
    assert sum(link["end_ps"] - link["begin_ps"] for link in found["critical_path"]["chain"]) == 136_000


def test_the_path_by_component(emu: Emu, image: Path) -> None:
    found = json.loads(emu("time", image, "--critical-path", "--json").stdout)["critical_path"]["components"]
    wanted = {name: int(ns) * 1000 for names, _, ns in table("component | on the path") for name in names.split(", ")}
    assert found == pytest.approx(wanted) and sum(wanted.values()) == 136_000


def test_the_peak_of_the_page(emu: Emu, image: Path) -> None:
    found = json.loads(emu("time", image, "--peak-power", "--json").stdout)["peak_power"]
    rows = {name: [float(cell) for cell in cells] for name, *cells in table("operation | pJ")}
    assert all(mw == pytest.approx(pj / ns, rel=1e-6) for pj, ns, mw in rows.values())
    dynamic = sum(pj / ns for pj, ns, _ in rows.values())
    assert (
        found["dynamic_mw"] == pytest.approx(dynamic, rel=1e-9) and f"{dynamic:.6f} mW, and {dynamic + 2:.6f}" in PAGE
    )
    assert found["power_mw"] == pytest.approx(dynamic + 2, rel=1e-9)
    assert (found["at_ps"], found["core"], found["core_mw"]) == (125_000, 0, 66.5 / 56)
    assert found["components"] == pytest.approx(
        {
            "adc": 16 / 56,
            "control": 1 / 56 + 1 / 27,
            "crossbar": 40 / 56,
            "dac": 8 / 56,
            "link": 12 / 27,
            "local_memory": 1.5 / 56 + 1 / 27,
        },
        rel=1e-8,
    )
    assert (found["crossbars"], found["crossbars_at_ps"], found["crossbars_of_core"]) == (1, 21_000, 1)
    alone = json.loads(emu("time", image, "--peak-power", "--samples", "1", "--json").stdout)["peak_power"]
    assert (alone["at_ps"], alone["dynamic_mw"]) == (21_000, pytest.approx(66.5 / 56 + 2 / 96, rel=1e-9))
    told = emu("time", image, "--peak-power").stdout
    assert "peak power 3.706 mW, of which 1.706 mW dynamic, first at 125 ns" in told
    assert "most crossbars at work at one time: 1, first at 21 ns; of one core 1, core 0" in told
