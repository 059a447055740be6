"""What is told of chips that are left idle: every option that is named changes something, and is not in use."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result
from commands import DIGITS
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx_nets import Net, conv_nets

from emu.arch import Core, Crossbar
from emu.arch.read import load_arch
from emu.image.reader import open_image
from launch.cli import cli
from launch.images.compilation import compile_image
from launch.images.idle import idle_of

ISAAC = load_arch("isaac")


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("idle") / "digits"
    compile_image(DIGITS, out, golden="none", arch=ISAAC, cores=16, quiet=True)
    return out


def test_cores_that_are_held_back_and_copies_are_named(digits: Path) -> None:
    image = open_image(digits)
    idle = idle_of(image.manifest, ISAAC, len(image.cores))
    assert idle is not None and (idle.cores, idle.with_program, idle.allowed) == (168, len(image.cores), 16)
    assert idle.options == ("cores=168 duplicate='throughput'",)
    assert idle.sentence.startswith(f"{len(image.cores)} of 168 cores hold a program, 16 of them may (cores)")


def test_nothing_is_told_where_nobody_knows_of_times_or_of_the_compilation(digits: Path) -> None:
    manifest = open_image(digits).manifest
    assert idle_of(manifest, load_arch("tiny"), 3) is None
    assert idle_of(replace(manifest, options={}), ISAAC, 3) is None
    full = replace(manifest, spare={"duplicate latency": 4})
    assert idle_of(full, ISAAC, ISAAC.cores) is None


def test_another_chip_is_told_without_options(digits: Path) -> None:
    manifest = open_image(digits).manifest
    idle = idle_of(manifest, load_arch("puma"), 3)
    assert idle is not None and idle.options == () and idle.sentence.endswith("compiled for architecture isaac")


def model_file(net: Net, out: str, path: Path) -> Path:
    onnx.save(net.model(out), path)
    return path


def test_layers_of_one_row_ask_for_no_copies(tmp_path: Path) -> None:
    net = Net((1, 32))
    file = model_file(net, net.add("MatMul", "x", net.constant(np.ones((32, 8), np.float32))), tmp_path / "m.onnx")
    report = compile_image(file, tmp_path / "out", golden="none", arch=ISAAC, quiet=True).to_dict()["idle"]
    assert report["options"] == [] and "no layer has rows" in report["sentence"]


CHIP = replace(
    load_arch("cim-mlc-isaac"),
    cores=40,
    core=Core(crossbars=16),
    crossbar=replace(Crossbar(rows=32, cols=64), dac_bits=1, parallel_rows=8),
)


@pytest.mark.parametrize("segments", [False, True])
@settings(max_examples=examples(6, 100))
@given(model=conv_nets(), cores=st.sampled_from([None, 3, 12]), mode=st.sampled_from(["wlm", "xbm"]))
def test_every_option_that_is_named_changes_the_programs_and_those_that_are_not_do_not(
    tmp_path_factory, segments, model, cores, mode
) -> None:
    from emu.errors import CompileError

    folder, chip = tmp_path_factory.mktemp("net"), replace(CHIP, mode=mode)
    onnx.save(model, folder / "net.onnx")

    def made(out: str, **options):
        options = {"cores": cores, "segments": segments} | options
        return compile_image(
            folder / "net.onnx", folder / out, golden="none", arch=chip, no_check=True, quiet=True, **options
        )

    try:
        plain = made("plain").to_dict()
    except CompileError:
        return
    idle, taken = plain["idle"] or {"options": []}, (plain["cores"], plain["crossbars"])
    named = " ".join(idle["options"])
    copied = made("copied", duplicate="latency", **({"cores": None} if "cores=" in named else {})).to_dict()
    same = (copied["cores"], copied["crossbars"], copied["instructions"]) == (*taken, plain["instructions"])
    if "duplicate" in named:
        assert not same
    elif plain["cores"] < chip.cores and cores is None:
        assert same
    if "remap_rows" in named:
        assert made("spread", remap_rows=True).to_dict()["crossbars"] > taken[1]
    elif mode == "wlm":
        assert made("spread", remap_rows=True).to_dict()["crossbars"] == taken[1]


def emu(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_what_is_idle_is_in_text_and_json_of_compile_and_time(tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("compile", DIGITS, "-o", out, "--arch", "isaac", "--golden", "none")
    text = emu(*words).stdout
    told = json.loads(emu(*words, "--json").stdout)["idle"]
    assert told["options"] == ["--duplicate throughput"] and told["sentence"] in text
    timed = json.loads(emu("time", out, "--json").stdout)["idle"]
    assert timed == told and told["sentence"] in emu("time", out).stdout
    used = json.loads(emu(*words, "--duplicate", "throughput", "--json").stdout)
    assert used["cores"] > told["with_program"] and "--duplicate" not in str(used["idle"])
