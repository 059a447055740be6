"""Pages of measured figures: each says which state it is of, and is marked once that is not the present one."""

import re

import pytest
import stamps

PAGE = "# Title\n\n<!-- measured: 0123456789ab; make it -->\nfigures\n"


@pytest.mark.parametrize("name", stamps.pages())
def test_a_page_of_an_earlier_state_is_marked_in_the_page(name):
    """It is marked here, and no failure: only who measures again can mend it."""
    page = stamps.DOCS / name
    stamps.mark(page, stamps.state())
    text = page.read_text("utf-8")
    old = [found for found in stamps.LINE.finditer(text) if found["stamp"] != stamps.state()]
    assert text.count("*Measured with an earlier state") == len(old)


def test_the_mark_comes_with_an_old_stamp_and_goes_with_a_new_one():
    old = stamps.marked(PAGE, "ba9876543210")
    assert "(stamp 0123456789ab): `make it` measures again.*\nfigures" in old
    assert stamps.marked(old, "ba9876543210") == old
    assert stamps.marked(old, "0123456789ab") == PAGE
    assert stamps.stamped(old, "ba9876543210") == PAGE.replace("0123456789ab", "ba9876543210")


def test_marking_writes_only_what_changes(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert not stamps.mark(page, "0123456789ab")
    assert stamps.mark(page, "ba9876543210") and not stamps.mark(page, "ba9876543210")


def test_the_state_follows_what_the_compiler_makes(monkeypatch):
    """Another schedule, or another chip, is another state; the same is the same."""
    before = stamps.state()
    assert re.fullmatch(r"[0-9a-f]{12}", before)
    stamps.state.cache_clear()
    assert stamps.state() == before
    network, chip, options = stamps.PROBES[0]
    for other in ((network, "puma", options), (network, chip, {"placement": "pack"})):
        monkeypatch.setattr(stamps, "PROBES", (other, *stamps.PROBES[1:]))
        stamps.state.cache_clear()
        assert stamps.state() != before
    stamps.state.cache_clear()


@pytest.mark.parametrize(("name", "again"), [(n, by) for n, by in stamps.pages().items() if by.startswith("make ")])
def test_what_measures_a_page_stamps_it(name, again):
    makefile = (stamps.ROOT / "Makefile").read_text()
    target = again.removeprefix("make ")
    rule = re.search(rf"^{target}: .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert rule and f"-m stamps --measured {name}" in rule[1]
