"""What the pages for newcomers tell to write, change and run is done, in a scratch copy of the product, as they say."""

from pathlib import Path

import page_walk
import pytest
from snippets import ROOT

WALKED = ("quickstart", "tutorial", "guides/operator", "guides/instruction", "guides/pass", "guides/cost-model")
WALKED += ("guides/transport", "guides/architecture")


@pytest.mark.parametrize("name", WALKED)
def test_a_page_does_what_it_says(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "emu"
    folder.mkdir()
    page_walk.copy_product(folder)
    variables = page_walk.environment(folder, tmp_path / "bin")
    assert page_walk.follow(ROOT / "docs" / f"{name}.md", folder, variables) >= 3
