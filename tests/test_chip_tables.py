"""The page of networks on published chips: a small row computed anew, and all networks and chips on it."""

import chip_prose
import chip_runs
import chip_tables
import pytest


@pytest.fixture(scope="module")
def tables():
    """The text of each table of the page."""
    text = chip_tables.PAGE.read_text("utf-8")
    return {found[2]: found[3] for found in chip_tables.BLOCK.finditer(text)}


def cells(table):
    """The rows below the head of a table."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()[2:]]


def test_rows_of_lenet5_are_what_the_commands_tell_now(tables, tmp_path):
    found = chip_runs.run("lenet5", "isaac", tmp_path)
    assert chip_tables.figures_row(found) in cells(tables["networks"]), "run `make chips`"
    assert chip_tables.shares_row(found) in cells(tables["shares"]), "run `make chips`"
    assert found.timed["busiest"]["busy_ps"] == 28 * 28 * 8 * 100_000  # pixels x bits x a read of 100 ns


def test_every_network_is_on_every_chip_or_it_says_why_not(tables):
    rows = [tuple(row[:2]) for name in ("networks", "refused") for row in cells(tables[name])]
    every = {(network, chip) for network in chip_tables.NETWORKS for chip in chip_tables.CHIPS}
    assert sorted(rows) == sorted({*every, ("lenet5", "isaac")})


def test_what_is_too_large_says_how_many_chips_it_takes(tmp_path):
    found = chip_runs.run("lenet5", "jia", tmp_path)
    network, chip, cores, _, chips, why = chip_tables.refusal_row(found)
    assert (network, chip, int(cores), chips) == ("lenet5", "jia", found.compiled["cores"], "1")
    assert why.startswith("nothing is published of `timing.")
    told = "the network needs 1461 crossbars, which take 1461 cores of 1 crossbar each on architecture jia"
    refusal = f"{told} (at most 16 cores), but --cores is 16: it would take 23 such chips; use another --arch"
    row = chip_tables.refusal_row(chip_runs.Run("resnet18", "jia", {}, {}, refusal))
    assert row == ["resnet18", "jia", "1461", "1461", "23", "larger than the chip"]


def test_a_row_that_is_not_true_any_more_is_replaced():
    text = chip_tables.PAGE.read_text("utf-8")
    tables = {found[2]: found[3].strip() for found in chip_tables.BLOCK.finditer(text)}
    stale = text.replace("| lenet5 | isaac |", "| lenet5 | puma |")
    assert stale != text and chip_tables.renewed(stale, tables) == text


def test_an_empty_block_is_filled_and_nothing_else_touched():
    begin, end = "<!-- made by `make chips`: refused -->", "<!-- end -->"
    page = f"{begin}\n{end}\nbetween\n{begin}\n\nold\n\n{end}\n"
    assert chip_tables.renewed(page, {"refused": "new"}) == page.replace(
        f"{begin}\n{end}", f"{begin}\n\nnew\n\n{end}"
    ).replace("old", "new")


def test_the_sentences_of_the_page_have_the_figures_of_its_tables(tables):
    text = chip_tables.PAGE.read_text("utf-8")
    assert chip_prose.agreeing(text, tables) == text, "run `make chips`"


def test_a_figure_of_a_sentence_follows_its_table(tables):
    text = chip_tables.PAGE.read_text("utf-8")
    row = next(line for line in tables["networks"].splitlines() if line.startswith("| resnet18 | isaac |"))
    now = [cell.strip() for cell in row.strip("|").split("|")][4]
    other = tables | {"networks": tables["networks"].replace(row, row.replace(now, "7.777 ms"))}
    sentences = chip_tables.BLOCK.sub("", text)
    assert sentences.count(now) == chip_prose.agreeing(text, other).count("7.777 ms") > 2
    with pytest.raises(LookupError, match="no sentence has"):
        chip_prose.agreeing("no page", tables)
