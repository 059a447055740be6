"""What the pages for newcomers tell to write, change and run is done, in a scratch copy of the product, as they say."""

import shutil
from pathlib import Path

import page_walk
import pytest
from snippets import ROOT

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="the pages apply changes by git, not found here")
GUIDES = ("operator", "instruction", "pass", "option", "command", "campaign", "cost-model", "transport", "architecture")
PAGES = ("quickstart", "architects", "device", "offload", *(f"guides/{name}" for name in GUIDES), "tutorial")
LONG = ("guides/pass", "guides/architecture", "tutorial")
WALKED = [pytest.param(name, marks=[pytest.mark.full] * (name in LONG)) for name in PAGES]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", WALKED)
def test_a_page_does_what_it_says(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "emu"
    page_walk.copy_product(folder)
    variables = page_walk.environment(folder, tmp_path / "bin")
    assert page_walk.follow(ROOT / "docs" / f"{name}.md", folder, variables) >= 3


def test_every_guide_is_walked() -> None:
    guides = {f"guides/{page.stem}" for page in (ROOT / "docs" / "guides").glob("*.md")} - {"guides/index"}
    assert guides <= set(PAGES)


def test_the_fault_of_the_tutorial_can_be_made(tmp_path: Path) -> None:
    page_walk.copy_product(tmp_path / "emu")
    variables = page_walk.environment(tmp_path / "emu", tmp_path / "bin")
    (tmp_path / "page.md").write_text("```sh\ngit apply --stat --apply docs/tutorial-fault.diff\n```\n")
    assert page_walk.follow(tmp_path / "page.md", tmp_path / "emu", variables) == 1
    changed = [file for file in (tmp_path / "emu" / "compiler").rglob("*.py") if differs(file, tmp_path / "emu")]
    assert len(changed) == 1


def differs(file: Path, product: Path) -> bool:
    return file.read_bytes() != (ROOT / file.relative_to(product)).read_bytes()


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("```sh\nfalse\n```\n", "line 1: exit code 1"),
        ("text\n\n```console\n$ echo a\nb\n```\n", "line 3: the page says"),
        ("```console\n$ echo a; echo b >&2\na\n```\n", "the page says"),
        ("```python\nraise SystemExit(3)\n```\n", "exit code 3"),
        ("```diff\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-no\n+yes\n```\n", "exit code"),
    ],
)
def test_what_a_page_says_wrongly_is_told(tmp_path: Path, page: str, said: str) -> None:
    (tmp_path / "page.md").write_text(page)
    (tmp_path / "x").write_text("other\n")
    with pytest.raises(AssertionError, match=said):
        page_walk.follow(tmp_path / "page.md", tmp_path, page_walk.environment(tmp_path, tmp_path / "bin"))


def test_blocks_of_a_page(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(
        '```toml title="a/b.toml"\nx = 1\n```\n\n```toml\nnot = "written"\n```\n\n'
        "```console\n$ cat a/b.toml\nx = ...\n$ exit 4\n```\n\n```\nnot run\n```\n"
    )
    assert page_walk.follow(tmp_path / "page.md", tmp_path, page_walk.environment(tmp_path, tmp_path / "bin")) == 2
    assert (tmp_path / "a" / "b.toml").read_text() == "x = 1\n"
