"""Two compilations side by side."""

import json
from pathlib import Path

import pytest
from commands import DIGITS, Emu

from launch.report.compare import ratio


@pytest.fixture(scope="module")
def packed(chip_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same network, packed onto as few cores as possible."""
    from click.testing import CliRunner

    from launch.cli import cli

    out = tmp_path_factory.mktemp("packed") / "packed"
    words = [
        "compile",
        DIGITS,
        "-o",
        out,
        "--arch",
        chip_file,
        "--cores",
        64,
        "--placement",
        "pack",
        "--golden",
        "none",
    ]
    assert CliRunner().invoke(cli, [str(word) for word in words]).exit_code == 0
    return out


def test_figures_of_both_stand_side_by_side(image: Path, packed: Path, emu: Emu) -> None:
    a, b = (json.loads(emu("report", out, "--json").stdout) for out in (image, packed))
    told = json.loads(emu("report", "--compare", image, packed, "--json").stdout)
    assert told["same_network"]
    figures = {row["figure"]: row for row in told["figures"]}
    for name, part in (("latency_ps", "time"), ("macs", "totals"), ("messages", "totals")):
        row = figures[f"{part}.{name}"]
        assert (row["a"], row["b"]) == (a[part][name], b[part][name])
        assert row["ratio"] == b[part][name] / a[part][name]
    assert figures["real.seconds_per_sample"]["a"] is None
    rows = {row["node"]: row for row in told["nodes"]}
    for side, report in (("a", a), ("b", b)):
        for node in report["nodes"]:
            assert rows[node["node"]][side]["cores"] == len(node["cores"])
            assert rows[node["node"]][side]["compute_ps"] == node["compute_ps"]
    assert [one["out"] for one in told["reports"]] == [str(image), str(packed)]


@pytest.mark.full
def test_text_and_csv_have_both(image: Path, packed: Path, emu: Emu) -> None:
    text = emu("report", "--compare", image, packed).stdout
    assert "B : A" in text and text.count("not here: ") >= 2 and "different networks" not in text
    table = emu("report", "--compare", image, packed, "--format", "csv").stdout
    assert "\nchip,,a.time.latency_ps," in table and "\nfigure,time.latency_ps,b," in table


def test_other_networks_are_told(image: Path, tmp_path: Path, emu: Emu) -> None:
    emu("export", "kernels/mv", "-o", tmp_path / "mv.onnx")
    result = emu("compile", tmp_path / "mv.onnx", "-o", tmp_path / "mv", "--golden", "none")
    assert result.exit_code == 0, result.output
    assert "different networks" in emu("report", "--compare", image, tmp_path / "mv").stdout


def test_ratios() -> None:
    assert ratio(2, 3) == 1.5 and ratio(2, 0) == 0
    assert ratio(0, 1) is ratio(None, 1) is ratio(1, None) is None
