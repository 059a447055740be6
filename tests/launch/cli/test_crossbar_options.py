"""`emu compile --stagger --remap-rows`: the quantised example equals its golden, is proved, and compiles again so."""

import json
from pathlib import Path

from commands import DIGITS, Emu

from emu.image.reader import open_image
from launch.bisect.reference import compile_again, options_of

INT8 = DIGITS.parent / "digits_cnn_int8.onnx"
BOTH = ("--arch", "cim-mlc-isaac", "--stagger", "--remap-rows")


def test_the_example_is_right_proved_and_faster(emu: Emu, tmp_path: Path) -> None:
    times = []
    for name, options in (("plain", BOTH[:2]), ("both", BOTH)):
        out = tmp_path / name
        made = json.loads(emu("compile", INT8, "-o", out, *options, "--json").stdout)
        assert made["check"]["proved"]
        launched = json.loads(emu("launch", out, "--sequential", "--json").stdout)
        assert launched["verdict"]["passed"] and all(t["max_abs"] == 0 for t in launched["verdict"]["tensors"])
        times.append(json.loads(emu("time", out, "--json").stdout)["latency_ps"])
    assert times[1] < 0.8 * times[0]
    image = open_image(tmp_path / "both")
    options = options_of(image.manifest)
    assert options is not None and options["stagger"] and options["remap_rows"]
    again = compile_again(INT8, **options)
    assert all(again[core].program.main == image.program(core).main for core in image.cores)
    assert [g.row_tiles for core in image.cores for g in image.program(core).groups] == [
        group.row_tiles for core in image.cores for group in again[core].program.groups
    ]


def test_a_text_goes_on_to_the_same_image(emu: Emu, tmp_path: Path) -> None:
    options = [*BOTH, "--golden", "none", "--no-check"]
    assert emu("compile", INT8, "-o", tmp_path / "a", *options, "--dump", tmp_path / "ir").exit_code == 0
    (text,) = tmp_path.glob("ir/*-place.mlir")
    assert emu("compile", "--from", text, "-o", tmp_path / "b", *options).exit_code == 0
    for path in sorted((tmp_path / "a").glob("*.prog")):
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
