"""What pages link to outside of docs/ is part of the site, too: a hook of mkdocs, which puts it below `repository/`."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Any

from page_links import TARGET, outside

FOLDER = "repository"
_CELL = re.compile(r"^\|.*$", re.MULTILINE)  # a row of a table; in its code, a bar needs no backslash
_CODE = re.compile(r"`[^`\n]+`")


def on_files(files: Any, config: Any) -> Any:
    """Add every file of the repository that a page links to, and what these link to."""
    from mkdocs.structure.files import File, InclusionLevel  # no module of the tests needs mkdocs

    root, docs = Path(config.docs_dir).parent, Path(config.docs_dir).name
    waiting = [Path(docs) / file.src_uri for file in files.documentation_pages()]
    known = set(waiting)
    while waiting:
        page = waiting.pop()
        for found in outside(root, page):
            if found in known or found.parts[0] == docs:
                continue
            known.add(found)
            text = (root / found).read_text("utf-8")
            files.append(File.generated(config, f"{FOLDER}/{found}", content=text, inclusion=InclusionLevel.NOT_IN_NAV))
            waiting += [found] if found.suffix == ".md" else []
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page with links to where these files are in the site."""
    root, docs = Path(config.docs_dir).parent, Path(config.docs_dir).name
    here = page.file.src_uri
    inside = here.startswith(f"{FOLDER}/")
    original = here.removeprefix(f"{FOLDER}/") if inside else f"{docs}/{here}"

    def moved(found: re.Match[str]) -> str:
        target, anchor = found["target"], found["anchor"] or ""
        to = posixpath.normpath(posixpath.join(posixpath.dirname(original), target))
        if not target or "://" in target or not (root / to).is_file():
            return found[0]  # this page, the web, what mkdocs shall warn of, or code that looks like a link
        place = to.removeprefix(f"{docs}/") if to.startswith(f"{docs}/") else f"{FOLDER}/{to}"
        return f"]({os.path.relpath(place, posixpath.dirname(here) or '.')}{anchor})"

    return _CELL.sub(
        lambda row: _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), TARGET.sub(moved, markdown)
    )
