"""Every link of the documentation leads somewhere, also to its heading; found without building the site."""

import re

import page_links
import pytest
from snippets import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    assert not list(page_links.dead_links(page))


def test_every_page_is_in_the_menu_of_the_site():
    menu = re.findall(r"^ +- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(menu) == sorted(str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md"))


def test_the_pages_have_links():
    assert sum(len(list(page_links.links(page.read_text("utf-8")))) for page in PAGES) > 100


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("other.md", "no such file"),
        ("page.md#b", "no heading"),
        ("#c", "no heading"),
        ("pictures/x.svg", "no such file"),
    ],
)
def test_a_dead_link_is_told(tmp_path, link, said):
    page = tmp_path / "page.md"
    page.write_text(f"# A\n\n[good](page.md#a) [bad]({link})\n\n```\n# b\n[x](y)\n```\n\n`[c](d)`\n")
    (found,) = page_links.dead_links(page)
    assert said in found


def test_anchors_are_those_of_the_site():
    text = "# One, two\n## `emu check`: proofs\n## A\n## A\n```\n# no\n```\n"
    assert page_links.anchors(text) == {"one-two", "emu-check-proofs", "a", "a_1"}
