"""Every recipe of docs/ci.md is run: as the page has it, in a repository as the page describes it."""

import os
import shutil
import site
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from ci_page import NETS, ROOT, block_with, blocks_of, make_repository, run_shell, steps, with_command
from junitparser import JUnitXml
from snippets import run_in

from launch.images.cache_directory import entries

NOBODY = 65534


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    make_repository(tmp_path / "repository")
    return tmp_path / "repository"


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def passed(results: Path) -> list[str]:
    """The cases of a file of JUnit XML, as a parser of such files reads it, that are right."""
    cases = [case for suite in JUnitXml.fromfile(str(results)) for case in suite]
    return sorted(case.name for case in cases if case.is_passed)


def test_every_block_is_run_by_a_test_below() -> None:
    assert (len(blocks_of("sh")), len(blocks_of("yaml")), len(blocks_of("toml"))) == (3, 2, 1)
    assert [line for example in blocks_of("yaml") for line in steps(example.parsed) if "emu" not in line] == [
        "sh check.sh --annotations github",
        "sh check.sh",
    ]


def test_the_script(repository: Path, tmp_path: Path) -> None:
    before = files(repository)
    assert before["emu/pyproject.toml"] == (ROOT / "pyproject.toml").read_bytes()  # the copy is of this checkout
    script = block_with("sh", "emu doctor")
    script.namespace.update(folder=repository, environment=with_command(repository, tmp_path / "bin"))
    script.evaluate()
    done = script.namespace["done"]
    assert done.stdout.count(" PASS ") == len(NETS) and "ready for 32 core processes" in done.stdout
    assert passed(repository / "out" / "results.xml") == sorted(NETS)
    made = {name for name in files(repository).keys() - before.keys() if "__pycache__" not in name}
    assert made == {"out/results.xml"}


def test_a_failure_fails_the_script_and_the_rest_is_run(repository: Path, tmp_path: Path) -> None:
    (repository / "nets" / "a.onnx").write_bytes(b"none")
    done = subprocess.run(
        ["sh", "check.sh", "--annotations", "github"],
        cwd=repository,
        env=with_command(repository, tmp_path / "bin"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and "a.onnx is not an ONNX model" in done.stdout
    assert "::error file=suite.toml,line=" in done.stdout
    assert passed(repository / "out" / "results.xml") == sorted(NETS)


@pytest.mark.full
def test_the_cache_is_used_by_the_next_run(repository: Path, tmp_path: Path) -> None:
    environment = {**with_command(repository, tmp_path / "bin"), "EMU_CACHE": str(tmp_path / "cache")}
    run_in(repository, ["sh", "check.sh"], environment)
    assert len(entries(tmp_path / "cache")) == len(NETS)
    one = run_in(
        repository, ["emu", "validate", f"nets/{NETS[0]}.onnx", "--cores", "16", "--samples", "2"], environment
    )
    assert ", cached\n" in one.stdout and len(entries(tmp_path / "cache")) == len(NETS)


# another user ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A directory that everybody can reach, which those of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="emu-ci-page-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def closed_ancestor(path: Path) -> Path | None:
    """The outermost directory above `path` that others may not enter."""
    closed = [parent for parent in path.parents if not parent.stat().st_mode & 0o001]
    return closed[-1] if closed else None


def opening(paths: list[Path], aside: Path) -> str:
    """Shell that, in a mount namespace of its own, makes `paths` reachable in spite of closed directories above."""
    closed = {path: folder for path in paths if (folder := closed_ancestor(path))}
    lines = []
    for number, path in enumerate(closed):
        lines.append(f"mkdir -p '{aside}/{number}'; mount --bind '{path}' '{aside}/{number}'")
    lines += [f"mount -t tmpfs -o mode=755 none '{folder}'" for folder in set(closed.values())]
    lines += [f"mkdir -p '{path}'; mount --bind '{aside}/{number}' '{path}'" for number, path in enumerate(closed)]
    return "\n".join(lines)


def test_nobody_in_a_checkout_that_is_read_only(open_folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may become another user")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        pytest.skip("mount namespaces are not allowed here")
    repository = open_folder / "repository"
    make_repository(repository)
    before = files(repository)
    script = block_with("sh", "unshare --mount")
    python = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve()}
    (open_folder / "recipe.sh").write_text(f"{opening(sorted(python), open_folder / 'aside')}\n{script.parsed}")
    done = run_in(
        repository,
        ["unshare", "--mount", "sh", "-eu", "../recipe.sh"],
        dict(with_command(repository, open_folder / "bin")),
    )
    assert done.stdout.count(" PASS ") == len(NETS)
    left = files(repository)
    assert left.keys() - before.keys() == {"scratch/out/results.xml"}
    assert passed(repository / "scratch" / "out" / "results.xml") == sorted(NETS)
    assert (repository / "scratch" / "out" / "results.xml").stat().st_uid == NOBODY
    assert {name: left[name] for name in before} == before


# what is installed ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment to install into that sees the packages of this one, so that no index is needed."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder)  # pip is among the packages of this one, too
    (packages,) = (folder / "lib").glob("python*/site-packages")
    (packages / "others.pth").write_text("\n".join(path for path in site.getsitepackages() if Path(path).is_dir()))
    return folder


def ready(repository: Path, installed: Path) -> dict[str, str]:
    """Variables under which the environment is in use, without an index; it has no `emu` of this project yet."""
    environment = {**with_command(repository, repository.parent / "bin"), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "."}
    (repository.parent / "bin" / "emu").unlink()
    environment["PATH"] = f"{installed / 'bin'}:{os.environ['PATH']}"
    return environment


@pytest.mark.full
@pytest.mark.parametrize("words", ["runs-on:", "CI_PROJECT_DIR"])
def test_workflows(repository: Path, installed: Path, words: str) -> None:
    environment = ready(repository, installed)
    cache = repository / ".emu-cache"
    for command in steps(block_with("yaml", words).parsed):
        run_in(repository, ["sh", "-eu", "-c", command], {**environment, "EMU_CACHE": str(cache)})
    assert passed(repository / "out" / "results.xml") == sorted(NETS)
    assert len(entries(cache)) == len(NETS) and (installed / "bin" / "emu").exists()


@pytest.mark.full
def test_without_an_index(repository: Path, installed: Path) -> None:
    (repository / "wheels").mkdir()
    script = block_with("sh", "PIP_NO_INDEX=1")
    script.namespace.update(folder=repository, environment=ready(repository, installed))
    script.evaluate()
    assert "emu, version " in script.namespace["done"].stdout


def test_a_block_that_fails_is_told(tmp_path: Path) -> None:
    script = block_with("sh", "emu doctor")
    script.namespace.update(folder=tmp_path, environment={"PATH": os.environ["PATH"]})
    assert not (tmp_path / "nets").exists()
    with pytest.raises(AssertionError):
        run_shell(script)
