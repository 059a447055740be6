"""Every figure of README and docs is recomputed by a test, measured and stamped, or quoted, and the page says which."""

import re
import shutil
from pathlib import Path

import figures
import pytest
from click.testing import CliRunner
from page_walk import blocks
from snippets import ROOT

from launch.cli import cli

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_says_where_its_figures_come_from(page: Path) -> None:
    assert figures.unsourced(page) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_tests_that_recompute_figures_name_the_page(page: Path) -> None:
    for source in figures.sources(page.read_text("utf-8")):
        if source.kind == "recomputed":
            assert page.stem in (ROOT / source.text).read_text("utf-8")


TEXT = """# Page
One takes 3 ms.
<!-- measured: unknown; make it -->
Two takes 4 ms, three is 5.
## Section
<!-- set: here -->
After 5 s it ends.
### Below
At 3 mW.
```
# no heading, 2 s
```
## Other
7 messages/s
"""


def test_a_source_holds_to_the_end_of_its_section() -> None:
    found = [(line.number, line.source and line.source.kind) for line in figures.lines(TEXT)]
    assert found == [(2, None), (4, "measured"), (7, "set"), (9, "set"), (11, "set"), (14, "measured")]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which lenet5 is compiled as the recipes say, with the examples."""
    folder = tmp_path_factory.mktemp("usage")
    shutil.copytree(ROOT / "examples" / "pimsim", folder / "examples" / "pimsim")
    model = str(folder / "lenet.onnx")
    for words in (["export", "lenet5", "-o", model], ["compile", model, "-o", str(folder / "out" / "lenet")]):
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 0, done.output
    return folder


@pytest.mark.parametrize(
    ("page", "command"),
    [
        ("timing", "time out/lenet --arch pimsim-latency --what-if adc=+1,local_memory=+64"),
        ("timing", "time out/lenet --arch pimsim-latency --bottlenecks"),
        ("timing", "time out/lenet --arch puma"),
        ("sweep", "sweep lenet.onnx --arch puma --vary duplicate=none,throughput --vary timing.vector.lanes=4,64"),
        ("interop", "time examples/pimsim/two_cores.json --arch examples/pimsim/latency_config.json"),
    ],
)
def test_the_simulated_figures(compiled: Path, page: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(compiled)
    printed = CliRunner().invoke(cli, command.split()).stdout
    given = [block.text for block in blocks((DOCS / f"{page}.md").read_text("utf-8")) if not block.language]
    (block,) = [text for text in given if text.splitlines()[0] in printed.splitlines()]
    lines = [line.split() for line in printed.splitlines()]
    assert [line for line in block.splitlines() if re.search(r"\d", line) and line.split() not in lines] == []
