"""Links and anchors of Markdown pages, as the site resolves them: what leads nowhere is found without building it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

TARGET = re.compile(r"\]\((?P<target>[^()\s#]*)(?P<anchor>#[^()\s]*)?\)")
_FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1\s*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)[^`\n]+?\1")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#* *$", re.MULTILINE)
_GIVEN = re.compile(r'<a id="([^"]+)"></a>')


def without_code(text: str) -> str:
    """The text of a page without its code blocks."""
    return _FENCE.sub("", text)


def links(text: str) -> Iterator[tuple[str, str]]:
    """File (empty: this page) and anchor (empty: none) of each link of a page that leads into the documentation."""
    for found in TARGET.finditer(_CODE.sub("", without_code(text))):
        if "://" not in found["target"] and not found["target"].startswith("mailto:"):
            yield found["target"], (found["anchor"] or "").removeprefix("#")


def anchors(text: str) -> set[str]:
    """The anchors that headings of a page make, as Python-Markdown names them, and those that it gives itself."""
    plain, found = without_code(text), set[str]()
    for heading in _HEADING.findall(plain):
        name, number = slug(heading), 0
        while (unique := f"{name}_{number}" if number else name) in found:
            number += 1
        found.add(unique)
    return found | set(_GIVEN.findall(plain))


def slug(heading: str) -> str:
    """The anchor of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("**", "")
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def outside(root: Path, page: Path) -> Iterator[Path]:
    """The files below `root` that a page links to, relative to it."""
    for target, _ in links((root / page).read_text("utf-8")):
        file = (root / page.parent / target).resolve()
        if target and file.is_file() and file.is_relative_to(root.resolve()):
            yield file.relative_to(root.resolve())


def dead_links(page: Path) -> Iterator[str]:
    """What is wrong with the links of a page, one sentence each."""
    for target, anchor in links(page.read_text("utf-8")):
        file = page.parent / target if target else page
        if not file.is_file():
            yield f"{page.name} links to {target}: there is no such file"
        elif anchor and anchor not in anchors(file.read_text("utf-8")):
            yield f"{page.name} links to {target}#{anchor}: no heading of that page has this anchor"
