"""Errors call a parameter as their reader writes it: by name in Python, as an option on the command line."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from commands import DIGITS
from onnx import TensorProto, helper

import compiler
from emu.chaos.spec import Chaos
from emu.errors import EmuError, InputError, option, worded
from launch import power_on
from launch.cli import cli
from launch.cli.options import as_option
from launch.system.open_files import check_open_files

ROOT = Path(__file__).parents[3]
OPTION = re.compile(r"(?<![\w-])--[a-z]")
COMMAND = re.compile(r"`emu [^`]*")  # is one to type, whoever reads of it
# Of the command line, what pages say of fields of the report, and what writes commands that start agents.
OTHERS = (
    "launch/cli/",
    "launch/bench/",
    "launch/faults/",
    "launch/report/panels/",
    "launch/machines/bootstrap.py",
    "launch/machines/engines/",
)
# Only the command line reaches these: what they say may name its options.
OF_THE_COMMAND_LINE = {
    "launch/images/checking.py",
    "launch/analog/calibrate_options.py",  # a short form of its option
    "launch/runs/expecting.py",
    "launch/system/doctor.py",
    "launch/golden/values.py",
    "launch/samples/initial_states.py",
    "launch/samples/input_values.py",
    "launch/golden/intermediate.py",
    "compiler/basis/options.py",  # what help says
    "launch/processes/options.py",
    "launch/system/spelling.py",
    "launch/runs/comparing.py",
    "launch/runs/validate_options.py",
    "launch/runs/job.py",
    "launch/runs/preparing.py",
    "launch/text/printing.py",
    "launch/samples/binding.py",
    "launch/samples/store.py",
    "launch/stress/job.py",
    "launch/campaigns/case.py",
    "launch/campaigns/child.py",
    "launch/campaigns/options.py",
    "launch/conformance/campaign.py",
    "launch/suites/command_line.py",
    "launch/diff/writers.py",
    "launch/timing/subjects.py",
    "launch/sweeps/notes.py",
    "launch/sweeps/options.py",  # what help says
    "launch/sweeps/point_case.py",
    "launch/sweeps/subject.py",
}
FORMS = [
    ("cores", None, "cores", "--cores"),
    ("cores", 4, "cores=4", "--cores 4"),
    ("log_dir", None, "log_dir", "--log-dir"),
    ("granularity", "auto", "granularity='auto'", "--granularity auto"),
    ("sequential", True, "sequential=True", "--sequential"),
    ("shapes", {"x": (1, 3)}, "shapes={'x': (1, 3)}", "--shape x=1,3"),
]


@pytest.mark.parametrize(("name", "value", "in_python", "typed"), FORMS)
def test_an_option_is_called_as_its_reader_writes_it(name, value, in_python, typed):
    assert option(name, value) == in_python
    with worded(as_option):
        assert option(name, value) == typed
    assert option(name, value) == in_python


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    return compiler.compile(DIGITS, cores=16, out=tmp_path_factory.mktemp("images") / "digits").out


@pytest.mark.parametrize(
    ("options", "typed", "words"),
    [
        ({"cores": 9999}, ["--cores", "9999"], "cores 9999: architecture default has 1 to 1024 cores"),
        ({"cores": 2, "arch": "tiny"}, ["--cores", "2", "--arch", "tiny"], "but cores is 2"),
        ({"shapes": {"in0": (1, 3)}}, ["--shape", "in0=1,3"], "shapes={'in0': (1, 3)} has 2 dimensions"),
    ],
)
def test_a_compilation(tmp_path, options, typed, words):
    with pytest.raises(InputError) as caught:
        compiler.compile(DIGITS, out=tmp_path / "out", **options)
    assert words in str(caught.value) and not OPTION.search(str(caught.value))
    done = CliRunner().invoke(cli, ["compile", str(DIGITS), "-o", str(tmp_path / "out"), *typed])
    assert done.exit_code == 2 and OPTION.findall(done.stderr) and typed[0] in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cores": 1}, "cores 1 does not fit"),
        ({"flow": "slow"}, "flow 'slow' is unknown"),
        ({"engine": "steam"}, "engine 'steam' is unknown"),
        ({"transport": "udp"}, "transport 'udp' is unknown"),
        ({"bind": "127.0.0.1"}, "bind='127.0.0.1' has no effect with transport='ipc': add transport='tcp'"),
        ({"transport": "tcp", "bind": "here"}, "bind 'here' is no IP address"),
        ({"log_dir": DIGITS / "logs"}, "log_dir .* cannot be made"),
    ],
)
def test_a_run(image, options, words):
    with pytest.raises(InputError, match=words) as caught, power_on(image, **options):
        pass
    assert not OPTION.search(str(caught.value))


def test_chaos_and_open_files():
    with pytest.raises(InputError, match=r"^chaos 'meteor' is of no known kind"):
        Chaos(("meteor",))
    with pytest.raises(InputError, match="sequential=True"):
        check_open_files(1 << 40, lambda: 1 << 40)


def test_shapes_that_must_be_given(tmp_path):
    shape = ["batch", 3, "height", 8]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)]
    model = helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "net", inputs, outputs))
    with pytest.raises(EmuError, match=r"give its shape as in shapes=\{'x': \(1, 3, 224, 8\)\}"):
        compiler.compile(model, out=tmp_path / "out")
    with worded(as_option), pytest.raises(EmuError, match="give its shape as in --shape x=1,3,224,8"):
        compiler.compile(model, out=tmp_path / "out")


def test_types_are_called_alike_on_both_sides(image):
    with power_on(image, timeout=60) as chip:
        with pytest.raises(InputError, match=r"is float64\[1, 1, 8, 8\], expected float32\[1, 1, 8, 8\]"):
            chip.run({"in0": np.zeros((1, 1, 8, 8))})
        with pytest.raises(InputError, match=r"the network takes 'in0' float32\[1, 1, 8, 8\]"):
            chip.run({})


def messages(path):
    """The texts of `path` but its docstrings, if there is an option anywhere in it."""
    source = path.read_text("utf-8")
    nodes = list(ast.walk(ast.parse(source))) if OPTION.search(source) else []
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_no_error_that_python_can_meet_names_an_option():
    files = [file for house in ("emu", "compiler", "launch") for file in (ROOT / house).rglob("*.py")]
    paths = {str(file.relative_to(ROOT)): file for file in files}
    wrong = [
        f"{path}: {text}"
        for path, file in paths.items()
        if not path.startswith(OTHERS) and path not in OF_THE_COMMAND_LINE
        for text in messages(file)
        if OPTION.search(COMMAND.sub("", text))
    ]
    assert not wrong, "use emu.errors.option() for names of options"
    assert set(OF_THE_COMMAND_LINE) <= set(paths)
