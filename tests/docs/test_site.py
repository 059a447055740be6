"""The site is built without a warning, so without a dead link, and needs no network to be read."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from snippets import ROOT

pytestmark = pytest.mark.full  # pages, their links and docstrings are looked at by other tests, too: this takes longest

MISSING = [name for name in ("mkdocs", "material", "mkdocstrings") if importlib.util.find_spec(name) is None]
LOADED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=[\"']?([^\"'\s>]+)[^>]*>")
LINKED = re.compile(r"<(?:a|img|link|script)\b[^>]*?(?:href|src)=[\"']?([^\"'\s>]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if MISSING:
        pytest.skip(f"{', '.join(MISSING)} not installed: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    pages = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    assert not [page for page in pages if not (site / page).exists()]
    assert (site / "repository" / "index.html").exists()  # the README, to which pages link


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = LOADED.findall(page.read_text("utf-8"))
        assert loaded and not [url for url in loaded if "//" in url], page
    styles = "".join(file.read_text("utf-8") for file in site.rglob("*.css"))
    assert "@import" not in styles and not re.search(r"url\([\"']?(?:https?:)?//", styles)


def test_whatever_pages_lead_to_is_there(site: Path) -> None:
    for page in site.rglob("*.html"):
        if page.name == "404.html":
            continue  # its links are those of a server
        for url in LINKED.findall(page.read_text("utf-8")):
            path = unquote(url.partition("#")[0].partition("?")[0])
            if path and not re.match(r"[a-z]+:", path):
                assert (page.parent / path).exists(), (page, url)


def test_docstrings_are_on_the_page_of_python(site: Path) -> None:
    text = re.sub(r"<[^>]+>", "", (site / "python.html").read_text("utf-8"))
    assert "Start all cores of the image directory" in text and "Compile an ONNX network" in text


def test_the_search_works_from_the_disk(site: Path) -> None:
    assert (site / "search" / "search_index.js").read_text("utf-8").startswith("var __index")
    assert 'src="../iframe-worker.js"' in (site / "guides" / "pass.html").read_text("utf-8")
    assert (site / "iframe-worker.js").exists()
