"""The page of networks on published chips: a small row computed anew, and all networks and chips on it."""

import chip_prose
import pytest
from papers import FIGURES, made, report_of

from launch.papers.chips import CHIPS, NETWORKS, SEVERAL, can_grow
from launch.papers.frame.page import blocks_of
from launch.text.answer import Table


@pytest.fixture(scope="module")
def tables():
    """The text of each table of the page."""
    return chip_prose.tables_of(chip_prose.PAGE.read_text("utf-8"))


def cells(table):
    """The rows below the head of a table."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()[2:]]


def row_of(report):
    """The cells of its only row, in all columns of the figure."""
    (row,) = report.rows
    return [column.text(row) for column in report.request.figure.columns]


def test_rows_of_lenet5_are_what_the_commands_tell_now(tables):
    timed = made("chips/networks", networks=("lenet5",), arch="isaac")
    assert row_of(timed) in cells(tables["networks"]), "run `make chips`"
    assert timed.rows[0]["busiest"]["busy_ps"] == 28 * 28 * 8 * 100_000  # pixels x bits x a read of 100 ns
    shares = report_of("chips/shares", dict(timed.found[0].values), networks=("lenet5",))
    assert row_of(shares) in cells(tables["shares"]), "run `make chips`"


def test_every_network_is_on_every_chip_or_it_says_why_not(tables):
    rows = [tuple(row[:2]) for name in ("networks", "refused") for row in cells(tables[name])]
    every = {(network, chip) for network in NETWORKS for chip in CHIPS}
    assert sorted(rows) == sorted({*every, ("lenet5", "isaac")})


def test_what_can_grow_has_a_row_as_several_chips(tables):
    refused = {
        (row[0], f"{row[4]} x {row[1]}") for row in cells(tables["refused"]) if can_grow(row[1]) and row[4] != "1"
    }
    assert {tuple(row[:2]) for row in cells(tables["several"])} == refused


def test_what_has_no_times_says_which_are_missing():
    report = made("chips/refused", networks=("lenet5",), arch="jia")
    network, chip, cores, _, chips, why = row_of(report)
    assert (network, chip, chips) == ("lenet5", "jia", "1") and int(cores) > 0
    assert why.startswith("nothing is published of `timing.")


def test_what_is_too_large_says_how_many_chips_it_takes_and_is_timed_on_so_many():
    report = made("chips/refused", networks=("lenet5",), arch="cim-mlc-jain")
    (row,) = report.rows
    assert row["chips"] > 1 and row["why"] == "larger than the chip" and "such chips" in row["reason"]
    assert f"it would take {row['chips']} such chips" in row["reason"] and row["cores"] > 4


def test_a_network_has_so_many_chips_as_it_takes(tmp_path):
    from launch.papers.on_chips.measuring import on_chip

    found = on_chip("lenet5", "cim-mlc-jain", SEVERAL, {"flow": "credits:2"}, str(tmp_path))
    assert found["chips"] > 1 and found["latency_ps"] > 0 and "reason" not in found
    assert [file.name for file in tmp_path.iterdir() if "image" in file.name] == []


def test_tables_have_the_columns_of_their_figures(tables):
    for name, table in tables.items():
        head = [cell.strip() for cell in table.splitlines()[0].strip("|").split("|")]
        assert head == [column.title for column in FIGURES[f"chips/{name}"].columns]


def test_the_sentences_of_the_page_have_the_figures_of_its_tables(tables):
    text = chip_prose.PAGE.read_text("utf-8")
    assert chip_prose.agreeing(text, tables) == text, "run `make chips`"


def test_a_figure_of_a_sentence_follows_its_table(tables):
    text = chip_prose.PAGE.read_text("utf-8")
    row = next(line for line in tables["networks"].splitlines() if line.startswith("| resnet18 | isaac |"))
    now = [cell.strip() for cell in row.strip("|").split("|")][4]
    other = tables | {"networks": tables["networks"].replace(row, row.replace(now, "7.777 ms"))}
    sentences = text
    for table in blocks_of(text).values():
        sentences = sentences.replace(table, "")
    found = chip_prose.agreeing(text, other)
    for table in blocks_of(text).values():
        found = found.replace(table, "")
    assert sentences.count(now) == found.count("7.777 ms") > 2
    with pytest.raises(LookupError, match="no sentence has"):
        chip_prose.agreeing("no page", tables)


def test_a_table_of_nothing_is_left_out():
    assert not [part for part in report_of("chips/networks", "too large").parts() if isinstance(part, Table)]
