"""`emu sweep`: tables, JSON, CSV, pictures, and what is refused."""

import csv
import json
import re
import signal
import time
from importlib import resources
from pathlib import Path

import pytest
from commands import CAN_DRAW, DIGITS, Emu
from emu_processes import EmuProcesses
from host_nets import nothing_for_cores, sandwich
from leaks import LeftoverCheck, wait_until_gone
from onnx import ModelProto

from compiler import compile

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "json.md").read_text("utf-8")
FOUR = ("--vary", "crossbar.adc_count=1,32", "--vary", "timing.window=1,4")
PATIENCE = 60
FIGURES = ("latency_ps", "period_ps", "energy_pj", "dynamic_pj", "static_pj", "power_mw", "area_mm2", "unpriced")


def told(emu: Emu, *arguments: object) -> dict:
    result = emu("sweep", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def four(digits_image: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Path]:
    """A sweep of four points, and its table."""
    from click.testing import CliRunner

    from launch.cli import cli

    table = tmp_path_factory.mktemp("sweep") / "table.csv"
    words = ["sweep", digits_image, "--arch", "pimsim-latency", *FOUR, "--samples", 4, "--csv", table, "--json"]
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert result.exit_code == 0 and result.stderr == "", result.output
    return json.loads(result.stdout), table


def test_points_are_what_emu_time_says_of_each_chip(
    emu: Emu, digits_image: Path, four: tuple[dict, Path], tmp_path: Path
) -> None:
    found, _ = four
    values = [{"crossbar.adc_count": count, "timing.window": window} for count in (1, 32) for window in (1, 4)]
    assert [point["values"] for point in found["points"]] == values
    text = emu("arch", "pimsim-latency").stdout
    for point in found["points"]:
        count, window = point["values"].values()
        changed = re.sub(r"(?m)^adc_count = .*$", f"adc_count = {count}", text)
        chip = tmp_path / "chip.toml"
        chip.write_text(re.sub(r"(?m)^window = .*$", f"window = {window}", changed))
        alone = json.loads(emu("time", digits_image, "--arch", chip, "--samples", 4, "--json").stdout)
        for name in FIGURES:
            assert point[name] == alone[name], name
        assert point["samples_per_s"] == pytest.approx(1e12 / alone["period_ps"])
    first, *_, last = found["points"]
    assert last["latency_ps"] < first["latency_ps"]
    assert last["pareto"] and not first["pareto"]
    assert found["metrics"] == ["latency_ps", "energy_pj"]


def test_the_table_has_the_same(four: tuple[dict, Path]) -> None:
    found, table = four
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 4
    for row, point in zip(rows, found["points"], strict=True):
        assert [row["crossbar.adc_count"], row["timing.window"]] == [str(value) for value in point["values"].values()]
        assert row["latency_ps"] == str(point["latency_ps"]) and float(row["energy_pj"]) == point["energy_pj"]
        assert row["pareto"] == ("yes" if point["pareto"] else "no")
        assert row["area_mm2"] == row["reason"] == ""


def test_what_people_see_and_points_that_cannot_be(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    vary = ("--vary", "core.crossbars=4,16", "--vary", "chip.cores=4,8,64", "--arch", "puma")
    result = emu("sweep", digits_image, *vary, "--csv", table, "--jobs", 3)
    assert result.exit_code == 0, result.output
    assert "6 points, 2 timed; " in result.stdout and "front of latency x energy x area" in result.stdout
    assert result.stdout.count("front") == 2 and f"written: {table}" in result.stdout
    reasons = [row["reason"] for row in csv.DictReader(table.read_text().splitlines())]
    assert [reason == "" for reason in reasons] == [False, False, False, False, True, True]
    assert reasons[1] == "puma: core.crossbars_per_mvmu 8 does not divide the 4 crossbars that there are"
    assert "chip.cores_per_cluster 8 does not divide the 4 cores" in reasons[3]
    for reason in set(reasons) - {""}:
        assert reason in " ".join(result.stdout.split())
    assert emu("sweep", digits_image, *vary, "--jobs", 1).stdout == result.stdout.replace(f"written: {table}\n", "")


def test_a_model_is_compiled_for_each_chip(emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    vary = ("--vary", "crossbar.cols=8,128", "--vary", "timing.window=1,4")
    found = told(emu, DIGITS, "--arch", "puma", *vary, "--cores", 64, "--jobs", 2)
    assert found["subject"] == "model" and found["path"] == str(DIGITS)
    assert all(point["reason"] is None for point in found["points"])
    narrow, wide = found["points"][0], found["points"][2]
    assert narrow["latency_ps"] != wide["latency_ps"]
    out = tmp_path / "out"
    assert emu("compile", DIGITS, "--arch", "puma", "--cores", 64, "-o", out).exit_code == 0
    alone = json.loads(emu("time", out, "--json").stdout)
    assert wide["latency_ps"] == alone["latency_ps"] and wide["energy_pj"] == alone["energy_pj"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_model_is_compiled_by_the_schedule_that_is_named(emu: Emu, tmp_path: Path) -> None:
    schedule = ("--cores", 32, "--duplicate", "throughput", "--pipelined")
    (point,) = told(emu, DIGITS, "--arch", "puma", "--vary", "timing.window=1", *schedule)["points"]
    assert emu("compile", DIGITS, "--arch", "puma", *schedule, "-o", tmp_path / "out").exit_code == 0
    alone = json.loads(emu("time", tmp_path / "out", "--json").stdout)
    assert point["latency_ps"] == alone["latency_ps"]


def test_a_schedule_is_made_for_the_figures_of_each_chip(emu: Emu, tmp_path: Path) -> None:
    """How rows are spread depends on how many are read at once, which is no property of the programs otherwise."""
    schedule = ("--cores", 20, "--remap-rows")
    points = told(emu, DIGITS, "--arch", "cim-mlc-isaac", "--vary", "crossbar.parallel_rows=16,4", *schedule)["points"]
    arch = resources.files("emu.arch.presets").joinpath("cim-mlc-isaac.toml").read_text("utf-8")
    few = re.sub(r"(?m)^parallel_rows = \d+", "parallel_rows = 4", arch)
    assert few != arch
    (tmp_path / "few.toml").write_text(few)
    assert emu("compile", DIGITS, "--arch", tmp_path / "few.toml", *schedule, "-o", tmp_path / "out").exit_code == 0
    alone = json.loads(emu("time", tmp_path / "out", "--json").stdout)
    assert points[1]["latency_ps"] == alone["latency_ps"]


def test_options_that_are_swept_are_those_that_are_typed(emu: Emu, tmp_path: Path) -> None:
    """Options of the compiler, of time, and presets, tied and not: each point as compiled and timed by hand."""
    vary = ("--vary", "duplicate=none,throughput", "--vary", "arch:cores=puma:64,isaac:none", "--vary", "samples=2,8")
    found = told(emu, DIGITS, *vary, "--granularity", "image")
    assert found["keys"] == ["duplicate", "arch", "cores", "samples"] and found["arch"] == ["puma", "isaac"]
    assert len(found["points"]) == 8
    for number, point in enumerate(found["points"]):
        values = point["values"]
        words = ["--arch", values["arch"]]
        words += ["--duplicate", values["duplicate"]] if values["duplicate"] else []
        words += ["--cores", values["cores"]] if values["cores"] else []
        out = tmp_path / str(number)
        assert emu("compile", DIGITS, *words, "-o", out).exit_code == 0
        alone = json.loads(emu("time", out, "--samples", values["samples"], "--json").stdout)
        assert {name: point[name] for name in FIGURES} == {name: alone[name] for name in FIGURES}, values
        assert point["idle"] == alone["idle"] and point["reason"] is None


def test_chips_alone_have_what_emu_arch_sums(emu: Emu, tmp_path: Path) -> None:
    found = told(emu, "--arch", "isaac,puma", "--vary", "core.crossbars=16,96", "--vary", "crossbar.adc_count=1..2")
    assert found["subject"] == "chip" and found["path"] is None
    assert found["metrics"] == ["peak_tops", "chip_power_mw", "chip_mm2"]
    for point in found["points"]:
        chip = tmp_path / "chip.toml"
        base, crossbars, adcs = point["values"].values()
        chip.write_text(f'chip.base = "{base}"\ncore.crossbars = {crossbars}\ncrossbar.adc_count = {adcs}\n')
        summed = json.loads(emu("arch", chip, "--sum", "--json").stdout)["sums"]["totals"]
        assert summed and summed == {key: point[key] for key in summed}
        assert "latency_ps" not in point and point["area_mm2"] is not None


def test_the_metrics_that_are_named_make_front_table_and_axes(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    words = ("--arch", "puma", *FOUR, "--metric", "rate,edp")
    found = told(emu, digits_image, *words)
    assert found["metrics"] == ["samples_per_s", "edp_js"]
    costs = [(-point["samples_per_s"], point["edp_js"]) for point in found["points"]]
    for point, cost in zip(found["points"], costs, strict=True):
        beaten = any(other != cost and all(a <= b for a, b in zip(other, cost, strict=True)) for other in costs)
        assert point["pareto"] == (not beaten and point["same_as"] is None)
    text = emu("sweep", digits_image, *words).stdout
    assert "on the Pareto front of samples/s x energy x delay" in text
    assert re.search(r"window +samples/s +energy x delay +latency", text)


def test_a_choice_among_many_points(emu: Emu) -> None:
    keys = ("crossbar.adc_count=1..100", "timing.adc.convert_ns=1..1000", "chip.cores=4..60000..4")
    vary = [word for key in keys for word in ("--vary", key)]
    words = ("--arch", "isaac", *vary, "--points", "7", "--choice", "random", "--choice-seed", "3")
    found = told(emu, *words)
    assert found["combinations"] == 15 * 10**8 and len(found["points"]) == 7
    assert told(emu, *words) == found
    assert "isaac: 7 of 1,500,000,000 points, chosen at random (seed 3), 7 computed" in emu("sweep", *words).stdout
    ends = told(emu, "--arch", "isaac", *vary, "--points", "3")["points"]
    assert [tuple(end["values"].values()) for end in (ends[0], ends[-1])] == [(1, 1, 4), (100, 1000, 60000)]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--vary chip.cores=1,2", "without a network there is no chip yet: name it by --arch"),
        ("--arch isaac", "nothing is varied: name values by --vary, or several chips by --arch"),
        ("--arch isaac --vary cores=1,2", "--vary cores is of a network, and none is given: name a model or a"),
        ("--arch isaac --vary chip.cores=1 --samples 3", "--samples is of a network, and none is given"),
        ("--arch isaac --vary chip.cores=1 --metric latency,chip_mm2", "--metric latency is of a network on a chip"),
        ("--arch isaac --vary chip.cores=1 --metric peak_top,area", "; did you mean 'peak_tops'?"),
        ("--arch isaac --vary chip.cores=1 --metric area", "--metric area: points are compared by two or more"),
        ("--arch isaac --vary chip.cores=1 --metric area,area", "by two or more different metrics: name them"),
        ("--arch isaac,puna", "architecture 'puna' is neither a preset"),
        ("--arch isaac,isaac", "--vary arch: isaac is named twice"),
        ("--arch isaac --vary arch=puma,isaac", "--arch is given, and varied by --vary"),
        ("IMAGE --vary cores=1,2", "is compiled already, so --vary cores means nothing: give the model"),
        ("IMAGE --vary cores=1,2 --pipelined", "so --pipelined and --vary cores mean nothing"),
        ("IMAGE --vary crossbar.rows=7,8", "takes other programs: give the model, which is compiled for each chip"),
        ("MODEL --vary cores=1,2 --cores 3", "--cores is given, and varied by --vary: name all its values there"),
        ("MODEL --vary samples=1,2 --samples 3", "--samples is given, and varied by --vary"),
        ("MODEL --vary duplicate=thruput", "--duplicate 'thruput' is unknown: use one of"),
        ("MODEL --vary cores=1..20000", "--vary: these values make 20,000 points, more than 10,000: name fewer"),
        ("MODEL --vary cores=1..9 --choice grid", "--choice grid chooses among the points: say how many by --points"),
        (
            "MODEL --vary cores=1,2 --resume MODEL",
            "digits_cnn.onnx, line 1: no figures of a sweep: name a file that --resume",
        ),
        ("MODEL --vary cores=1,2 --resume nowhere/x", "nowhere/x: No such file or directory: name another file"),
    ],
)
def test_bad_words_are_one_sentence(words: str, sentence: str, emu: Emu, digits_image: Path) -> None:
    before = DIGITS.read_bytes()
    result = emu("sweep", *words.replace("IMAGE", str(digits_image)).replace("MODEL", str(DIGITS)).split())
    assert result.exit_code == 2 and result.stdout == "" and result.stderr.count("\n") == 1
    assert sentence in result.stderr
    assert DIGITS.read_bytes() == before


@pytest.mark.parametrize(
    ("model", "words"), [(sandwich(), "name the image of one of them"), (nothing_for_cores(), "on the host alone")]
)
def test_segments_are_refused(model: ModelProto, words: str, emu: Emu, tmp_path: Path) -> None:
    compile(model, "tiny", cores=8, out=tmp_path / "out", host_fallback=True)
    result = emu("sweep", tmp_path / "out", "--arch", "puma", "--vary", "crossbar.adc_count=1,2")
    assert result.exit_code == 2 and result.stdout == "" and result.stderr.count("\n") == 1
    assert words in result.stderr


def test_not_a_single_figure_is_an_error(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    table, plot = tmp_path / "t.csv", tmp_path / "p.svg"
    files = ("--csv", table, *(("--plot", plot) if CAN_DRAW else ()))
    result = emu("sweep", digits_image, "--vary", "chip.cores=16,32", *files, "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == found["exit_code"] == 2
    assert found["error"].startswith("no point of the sweep can be timed; with chip.cores=16: the chip has no table")
    assert len(found["points"]) == 2 == len(table.read_text().splitlines()) - 1
    assert not plot.exists()


def test_without_its_packages_a_picture_is_refused(
    emu: Emu, digits_image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("launch.text.picture.find_spec", lambda name: None)
    result = emu("sweep", digits_image, *FOUR, "--plot", "x.svg")
    assert result.exit_code == 2 and result.stdout == ""
    assert "draws with altair and vl-convert-python, not installed here" in result.stderr
    assert "pip install altair vl-convert-python, or leave it out" in result.stderr


@pytest.mark.skipif(not CAN_DRAW, reason="drawing takes altair and vl-convert-python")
def test_a_picture(emu_processes: EmuProcesses, digits_image: Path, tmp_path: Path) -> None:
    """In a process of its own: the library keeps threads. Another form is drawn in the tests of `emu info`."""
    words = ["sweep", digits_image, "--arch", "puma", "--vary", "timing.window=1,4", "--plot", tmp_path / "p.svg"]
    done = emu_processes.run(*words)
    assert done.returncode == 0, done.stderr
    picture = (tmp_path / "p.svg").read_text()
    assert picture.startswith("<svg")
    for words in ("timing.window", "latency (s)", "energy of a sample (J)", "area (mm2)", "on the Pareto front"):
        assert words in picture


def cases_of(process: int) -> list[int]:
    """Processes that its children, those that are warm, have forked."""

    def children(of: int) -> list[int]:
        return [int(word) for word in Path(f"/proc/{of}/task/{of}/children").read_text().split()]

    return [case for warm in children(process) for case in children(warm)]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_of_an_interrupted_sweep(
    emu_processes: EmuProcesses, digits_image: Path, tmp_path: Path, end: signal.Signals
) -> None:
    scratch, earlier = tmp_path / "scratch", LeftoverCheck.now()
    scratch.mkdir()
    words = ["sweep", digits_image, "--arch", "puma", "--vary", "timing.window=" + ",".join(map(str, range(1, 200)))]
    process = emu_processes.start(*words, "--csv", tmp_path / "t.csv", "--jobs", 2, env={"TMPDIR": str(scratch)})
    until = time.monotonic() + PATIENCE
    while not (running := cases_of(process.pid)) and time.monotonic() < until:
        time.sleep(0.01)
    assert running
    process.send_signal(end)
    _, errors = process.communicate()
    assert process.returncode == 128 + end and "Traceback" not in errors
    assert not wait_until_gone(earlier)
    assert list(tmp_path.iterdir()) == [scratch] and not list(scratch.iterdir())


def test_fields_of_json_are_those_of_the_page(four: tuple[dict, Path]) -> None:
    text = PAGE.partition("## emu sweep\n")[2].partition("\n## ")[0]
    found, _ = four
    for name in {*found, *found["points"][0]} - {"schema"}:
        assert f"`{name}`" in text, name
