"""The plug-in of pytest, as its users meet it: in a pytest of their own."""

import os
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS
from leaks import run_directories

ROOT = Path(__file__).parent.parent
PLUGIN = "reram_emu_pytest"
TESTS = f"""
import onnx
import os
from pathlib import Path

DIGITS = {str(DIGITS)!r}

def test_one_process_serves_all(emu_zygotes, emu_validate):
    for flow in ("rendezvous", "credits:2"):
        report = emu_validate(DIGITS, cores=16, flow=flow, timeout=100)
        assert report.exit_code == 0 and report.result.cores > 1
    below = Path(f"/proc/{{os.getpid()}}/task/{{os.getpid()}}/children").read_text().split()
    assert below == [str(emu_zygotes.pid)]
    Path("server").write_text(str(emu_zygotes.pid))

def test_wrong(emu_validate):
    emu_validate(DIGITS, "tiny", keep=["relu"], golden="wrong.npz", tolerance=0.001, timeout=100)

def test_in_memory(emu_validate):
    emu_validate(onnx.load(DIGITS), cores=20, golden="wrong.npz", sequential=True)

def test_refused(emu_validate):
    emu_validate("missing.onnx")
"""
KEPT = f"""
def test_it_is_compiled_once(emu_validate, monkeypatch):
    emu_validate({str(DIGITS)!r}, sequential=True, golden="none")
    monkeypatch.setattr("launch.images.cache.compile_image", None)
    emu_validate({str(DIGITS)!r}, sequential=True, golden="none")
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs tests of this text in a pytest that has the plug-in, whether it is installed or not."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))

    def run(text, *options):
        pytester.makepyfile(text)
        result = pytester.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider", *options)
        assert not run_directories()
        return result

    return run


def test_what_users_see(run, pytester):
    """Outputs are wrong because golden values are: whether onnxruntime rounds as we do is a matter of the machine."""
    np.savez(pytester.path / "wrong.npz", out0=np.full((1, 10), 1000, np.float32))
    result = run(TESTS)
    result.assert_outcomes(passed=1, failed=3)
    assert not Path(f"/proc/{(pytester.path / 'server').read_text()}").exists()
    result.stdout.fnmatch_lines(
        [
            "E*AssertionError: digits_cnn.onnx: out0: max|diff| *",
            "E*core processes (*",
            "E*intermediate tensors, golden onnxruntime*",
            "E* relu *PASS",
            "E*FAIL  out0: max|diff| *",
            f"E*repeat it: emu validate {DIGITS} --keep relu --tolerance 0.001 --arch tiny --golden wrong.npz *",
            "E*AssertionError: model.onnx: *",
            "E*repeat it: emu validate */model.onnx --cores 20 --golden wrong.npz --sequential",
            "E*CompileError: missing.onnx does not exist",
        ]
    )
    text = result.stdout.str()
    assert "validity.py" not in text and "importer.py" not in text  # it is the line of the test that fails
    (model,) = {word for word in text.split() if word.endswith("/model.onnx")}
    assert Path(model).read_bytes()  # the command finds it


def entries(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


@pytest.mark.full
def test_images_are_kept_where_the_option_or_the_configuration_says(run, pytester):
    (pytester.path / "pytest.ini").write_text("[pytest]\nemu_cache = kept\n")
    for options in ((), ("--emu-cache", "typed")):
        run(KEPT, *options).assert_outcomes(passed=1)
    typed, kept = entries(pytester.path / "typed"), entries(pytester.path / "kept")
    assert typed == kept and len(kept) == 1


def test_without_a_place_they_are_kept_for_the_session(run, pytester, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(pytester.mkdir("temporary")))
    run(KEPT, f"--basetemp={pytester.path / 'base'}").assert_outcomes(passed=1)
    assert not list((pytester.path / "temporary").iterdir())


def test_unused_it_imports_nothing_and_starts_nothing(run, pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # others may import what they like
    pytester.makeconftest(
        "import sys, os\n"
        "def pytest_sessionfinish():\n"
        f"    found = {{name.partition('.')[0] for name in sys.modules}} & {set(IMPORTED)!r}\n"
        "    assert not found, found\n"
        "    assert not open(f'/proc/{os.getpid()}/task/{os.getpid()}/children').read()\n"
    )
    result = run(f"def test_nothing(pytestconfig):\n    assert pytestconfig.pluginmanager.has_plugin({PLUGIN!r})\n")
    assert result.ret == 0
    result.assert_outcomes(passed=1)


IMPORTED = ("numpy", "onnx", "onnxruntime", "zmq", "emu", "compiler", "launch")


def test_it_is_loaded_once_whether_installed_or_not(run, pytester):
    """An installed package registers it; naming it as well, on the command line or in a conftest, changes nothing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {PLUGIN: PLUGIN}  # pytest tells plug-ins apart by these names
    pytester.makeconftest(f"pytest_plugins = [{PLUGIN!r}]\n")
    installed = pytester.mkdir("site") / "some_emu-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: some-emu\nVersion: 1\n")
    (installed / "entry_points.txt").write_text(f"[pytest11]\n{PLUGIN} = {PLUGIN}\n")
    pytester.syspathinsert(installed.parent)
    run("def test_known(pytestconfig):\n    pytestconfig.getoption('--emu-cache')\n").assert_outcomes(passed=1)


def test_another_package_called_launch_does_not_break_pytest(run, pytester):
    """The fixtures cannot be used then, but other tests go on."""
    pytester.mkpydir("launch")
    result = run("def test_one(emu_zygotes):\n    pass\ndef test_other():\n    pass\n")
    result.assert_outcomes(passed=1, errors=1)


def test_it_is_the_plug_in_of_these_tests(pytestconfig):
    plugin = pytestconfig.pluginmanager.get_plugin(PLUGIN)
    assert Path(plugin.__file__) == ROOT / f"{PLUGIN}.py" and sys.modules[PLUGIN] is plugin
