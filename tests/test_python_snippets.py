"""Every Python snippet of README and documentation runs as it is pasted: alone, in an empty directory."""

import pytest
from snippets import ROOT, blocks, run_python

SNIPPETS = blocks("python", run_python, ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


def test_all_snippets_are_found():
    pages = (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
    assert len(SNIPPETS) == sum(page.read_text("utf-8").count("```python\n") for page in pages) >= 2


@pytest.mark.few(4)
@pytest.mark.parametrize("example", SNIPPETS)
def test_it_runs(tmp_path, example):
    example.namespace["folder"] = tmp_path
    example.evaluate()


def test_what_fails_is_told(tmp_path):
    (tmp_path / "page.md").write_text("```python\nprint(1)\n```\n\n```python\nraise SystemExit('bad')\n```\n")
    (tmp_path / "run").mkdir()
    right, wrong = (param.values[0] for param in blocks("python", run_python, tmp_path / "page.md"))
    right.namespace["folder"] = tmp_path / "run"
    right.evaluate()
    with pytest.raises(AssertionError, match="bad"):
        wrong.evaluate()
