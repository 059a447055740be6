"""`emu import`: files to an image that the other commands take."""

import json
import shutil
from pathlib import Path

import numpy as np
from commands import DIGITS, EXAMPLES, Emu

PROGRAM, CHIP = EXAMPLES / "pimsim" / "two_cores.json", EXAMPLES / "pimsim" / "latency_config.json"


def test_what_is_told(emu: Emu, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = emu("import", PROGRAM, "--chip", CHIP, "-o", out)
    assert told.exit_code == 0
    assert told.stdout.startswith(
        f"two_cores.json -> {out}: 2 cores, 15 instructions, rolled to 15, run as 6, 1 crossbar"
    )
    assert told.stderr.startswith("warning: core 1, instruction 7 (st): as a pair of registers its address")
    again = emu("import", PROGRAM, "-o", out, "--no-roll", "--no-check", "--json")
    values = json.loads(again.stdout)
    assert (again.exit_code, again.stderr.count("warning")) == (0, 2)
    assert (values["cores"], values["inputs"], values["outputs"]) == (2, ["memory_0"], ["stored_1024"])
    assert values["check"] is None and len(values["warnings"]) == 2


def test_other_commands(emu: Emu, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert emu("import", PROGRAM, "--chip", CHIP, "-o", out).exit_code == 0
    for command in (("check", "--strict"), ("info",), ("export", "--to", "asm"), ("report",)):
        assert emu(command[0], out, *command[1:]).exit_code == 0, command
    stored = []
    for place, options in enumerate((("--engine", "batch"), ("--engine", "step", "--sequential"))):
        file = tmp_path / f"{place}.npz"
        told = emu("launch", out, "--save", file, *options)
        assert told.exit_code == 0
        assert told.stdout.splitlines()[-1].startswith("not compared: the programs were not compiled from a model")
        with np.load(file) as arrays:
            stored.append(arrays["stored_1024"])
    assert np.array_equal(*stored) and stored[0].any()
    kept, given = emu("time", out, "--json"), emu("time", PROGRAM, "--arch", CHIP, "--json")
    assert kept.exit_code == given.exit_code == 0
    same = [json.loads(result.stdout) | {"program": "", "arch": ""} for result in (kept, given)]
    assert same[0] == same[1]
    script = tmp_path / "script"
    script.write_text("step\nwhere\n")
    assert emu("debug", out, "--script", script).exit_code == 0


def test_time_without_a_chip(emu: Emu, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert emu("import", PROGRAM, "-o", out).exit_code == 0
    told = emu("time", out)
    assert (
        told.exit_code == 2
        and "was imported without a configuration of its chip: name one with --arch CONFIG" in told.stderr
    )
    assert emu("time", out, "--arch", CHIP, "--simulator", "fork").exit_code == 0
    told = emu("time", out, "--samples", 3)
    assert told.exit_code == 2 and "is an imported program, for which --samples means nothing" in told.stderr


def test_a_deadlock_is_refused(emu: Emu, tmp_path: Path) -> None:
    receive = {"op": "recv", "rd": 0, "size": 4}
    cores = {
        f"core{core}": [receive | {"core": 1 - core}, {"op": "send", "core": 1 - core, "size": 4}] for core in (0, 1)
    }
    (tmp_path / "p.json").write_text(json.dumps({"config": {"core_cnt": 2}, **cores}))
    told = emu("import", tmp_path / "p.json", "-o", tmp_path / "out")
    assert told.exit_code == 2 and "refuted: no deadlock" in told.stderr
    assert emu("import", tmp_path / "p.json", "-o", tmp_path / "out", "--no-check").exit_code == 0
    told = emu("launch", tmp_path / "out", "--no-check")
    assert told.exit_code == 4 and "recv (sample 0, node core1[0])" in told.stderr


def test_what_has_no_model(emu: Emu, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert emu("import", PROGRAM, "--chip", CHIP, "-o", out).exit_code == 0
    for options, words in (
        (("--model", PROGRAM), "is not a readable ONNX file"),
        (("--model", DIGITS), "has no input 'in0', which"),
        (("--golden", "reference"), "not compiled from a model"),
    ):
        told = emu("launch", out, *options)
        assert told.exit_code == 2 and words in told.stderr, told.stderr


def test_what_was_kept_is_compared_with_its_digest(emu: Emu, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert emu("import", PROGRAM, "--chip", CHIP, "-o", out).exit_code == 0
    shutil.copy(out / "inputs.npz", out / "pimsim.npz")
    told = emu("time", out)
    assert told.exit_code == 2 and "pimsim.npz has changed since the image was written" in told.stderr


def test_mistakes(emu: Emu, tmp_path: Path) -> None:
    for options, words in (
        (("--types", "8=f32"), "--types 8=f32: '8=f32' is no width and type of it"),
        (("--events", "sometimes"), "'sometimes' is not one of"),
        (("--weights", tmp_path), "there are no weights of array group 0 of core 0"),
    ):
        told = emu("import", PROGRAM, "-o", tmp_path / "out", *options)
        assert told.exit_code == 2 and words in told.stderr, told.stderr
        assert not (tmp_path / "out").exists()
