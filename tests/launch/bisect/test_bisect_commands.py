"""`--bisect` of `emu launch` and `emu validate`: text, JSON, traps, refusals, and what cannot be searched."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from bisect_faults import Subject, edited, replace_file
from bisect_table import faulty
from click.testing import CliRunner, Result
from commands import DIGITS, Emu
from host_nets import sandwich

from emu.image.seal import seal
from launch import validate
from launch.cli import cli


@pytest.fixture
def emu() -> Emu:
    """Run `emu` with the given arguments in this process."""

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(cli, [str(argument) for argument in arguments])

    return run


@pytest.fixture(scope="session")
def bad(digits: Subject, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, str]:
    """A copy with a wrong weight: its folder, core and node."""
    out = tmp_path_factory.mktemp("bad") / "out"
    fault = faulty(digits, "weight", out)
    return out, fault.core, fault.node


def test_launch_names_node_core_and_crossbar(emu: Emu, bad: tuple[Path, int, str]) -> None:
    out, core, node = bad
    result = emu("launch", out, "--sequential", "--model", DIGITS, "--bisect")
    assert result.exit_code == 1
    assert f"bisect: first wrong node {node} on core {core} (sample 0)" in result.output
    for words in ("worst at [", "crossbar 0:0, row ", "the crossbar holds ", "1 place differs from what the compiler"):
        assert words in result.output


def test_launch_by_processes_and_json(emu: Emu, bad: tuple[Path, int, str]) -> None:
    out, core, node = bad
    result = emu("launch", out, "--timeout", "60", "--model", DIGITS, "--bisect", "--json")
    report = json.loads(result.stdout)
    found = report["bisect"]
    assert report["exit_code"] == result.exit_code == 1
    assert (found["node"], found["core"], found["by"]) == (node, core, "recompilation")
    assert found["by_values"]["core"] == core
    assert found["wrong"]["got"] != found["wrong"]["expected"]
    assert len(found["changes"]) == 1 and found["changes"][0]["site"] == found["site"]


def test_without_bisect_nothing_is_searched(emu: Emu, bad: tuple[Path, int, str]) -> None:
    report = json.loads(emu("launch", bad[0], "--sequential", "--json").stdout)
    assert report["bisect"] is None


def test_the_sample_that_differs_is_searched(emu: Emu, bad: tuple[Path, int, str], tmp_path: Path) -> None:
    """The first sample is zeros, which no weight changes."""
    given = Subject(bad[0]).image.default_inputs()
    assert given is not None
    samples = {name: np.concatenate((np.zeros_like(array[:1]), array[:1])) for name, array in given.items()}
    np.savez(tmp_path / "in.npz", **samples)
    arguments = ("launch", bad[0], "--sequential", "--input", tmp_path / "in.npz", "--model", DIGITS, "--bisect")
    report = json.loads(emu(*arguments, "--json").stdout)
    sample = report["verdict"]["tensors"][0]["worst"][0]
    assert report["bisect"]["sample"] == sample
    assert report["bisect"]["core"] == bad[1]


def test_a_right_run_has_nothing_to_look_for(emu: Emu) -> None:
    result = emu("validate", DIGITS, "--arch", "tiny", "--sequential", "--bisect")
    assert result.exit_code == 0
    assert "bisect: the outputs are right: there is nothing to look for" in result.output


def test_a_trap_still_names_its_node(emu: Emu, digits: Subject, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    digits.copy(bad)
    core, index = digits.instructions(lambda p, k: p.main.decode(k).spec.name == "vvmax")[-1]

    def edit(columns: dict[str, np.ndarray]) -> None:
        columns["base"][columns["operand"][index]] = 1 << 20

    fault = edited(digits, bad, "address", core, index, edit)
    replace_file(bad / "manifest.json", (bad / "manifest.json").read_bytes())
    seal(bad)
    arguments = ("launch", bad, "--sequential", "--model", DIGITS, "--bisect")
    refused = emu(*arguments)
    assert refused.exit_code == 2 and "refuted" in refused.stderr
    trapped = emu(*arguments, "--no-check")
    assert trapped.exit_code == 3 and "out of range" in trapped.stderr
    for result in (refused, trapped):
        assert f"bisect: first wrong node {fault.node} on core {core}" in result.stderr
        assert "Traceback" not in result.output
    found = json.loads(emu(*arguments, "--no-check", "--json").stdout)
    assert found["exit_code"] == 3 and found["bisect"]["core"] == core and found["bisect"]["site"]["index"] == index


def test_what_is_missing_is_said_in_a_sentence(emu: Emu, digits: Subject, tmp_path: Path) -> None:
    onnx.save(sandwich(), tmp_path / "host.onnx")
    refused = {
        "give --model FILE.onnx, too": ("launch", digits.out),
        "leave --golden none out": ("launch", digits.out, "--model", DIGITS, "--golden", "none"),
        "the network runs in segments with host nodes": ("validate", tmp_path / "host.onnx", "--host-fallback"),
    }
    for words, arguments in refused.items():
        result = emu(*arguments, "--sequential", "--bisect")
        assert result.exit_code == 2, result.output
        assert words in result.stderr
        assert "error: --bisect" in result.stderr and len(result.stderr.strip().splitlines()) <= 2


def test_programs_without_a_model_have_nothing_to_compare_with(emu: Emu, tmp_path: Path) -> None:
    lines = ('output "y" i32[1, 1] at 0x00', "core 0 {", "main {", "lldi l[0x00], 1, 4", "st g[0x00], l[0x00], 4")
    text = "\n".join(("arch tiny", *lines, "}", "}", ""))
    (tmp_path / "one.asm").write_text(text)
    assert emu("import", tmp_path / "one.asm", "-o", tmp_path / "out").exit_code == 0
    result = emu("launch", tmp_path / "out", "--sequential", "--bisect")
    assert result.exit_code == 2
    assert "the programs were not compiled from a model; give --model FILE.onnx if there is one" in result.stderr
    assert "or look at it with emu debug" in result.stderr


def test_from_python() -> None:
    report = validate(DIGITS, arch="tiny", sequential=True, bisect=True)
    assert report.exit_code == 0
    assert report.finding is not None and "nothing to look for" in report.finding.note
    assert report.to_dict()["bisect"]["note"] == report.finding.note
