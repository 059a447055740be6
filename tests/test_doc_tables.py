"""The tables of the documentation are those of the product: `make docs` writes them anew."""

import doc_tables
import operator_probe
import pytest
from operator_words import SUPPORT, VECTOR, WHERE

from compiler.frontend.operators import MICROSOFT, ML, OPERATORS
from emu.arch.read import parse_arch
from emu.arch.schema import schema


@pytest.mark.parametrize("name", doc_tables.PAGES)
def test_pages_are_up_to_date(name):
    text = (doc_tables.ROOT / "docs" / name).read_text("utf-8")
    assert doc_tables.BLOCK.search(text)
    assert text == doc_tables.renewed(text), "a table has changed: run `make docs`"


def test_every_table_is_on_a_page():
    texts = [(doc_tables.ROOT / "docs" / name).read_text("utf-8") for name in doc_tables.PAGES]
    assert {found[2] for text in texts for found in doc_tables.BLOCK.finditer(text)} == set(doc_tables.TABLES)


def test_a_table_that_is_not_true_any_more_is_noticed():
    text = (doc_tables.ROOT / "docs" / "operators.md").read_text("utf-8")
    stale = text.replace("| `Conv` |", "| `Convolution` |")
    assert stale != text and doc_tables.renewed(stale) == text


def test_every_operator_and_every_key_has_its_words():
    assert set(SUPPORT) == set(OPERATORS)
    assert all(key.meaning for keys in schema().values() for key in keys.values())


@pytest.mark.full
def test_nodes_run_where_the_table_says(tmp_path):
    """A node of ONNX's suite of each operator, its weights constant; moves may vanish."""
    found = {kind: operator_probe.where_it_runs(kind, tmp_path) for kind in OPERATORS.keys() - {*MICROSOFT, *ML}}
    said = {kind: {*WHERE.get(kind, VECTOR).split(", or "), "nowhere"} for kind in found}
    assert not {kind: where for kind, where in found.items() if where not in said[kind]}


def test_the_file_of_the_page_can_be_read():
    text = (doc_tables.ROOT / "docs" / "architecture-file.md").read_text("utf-8")
    arch = parse_arch(text.split("```toml\n")[1].split("```")[0], "chip.toml")
    assert (arch.name, arch.cores, arch.core.crossbars, arch.crossbar.rows) == ("my chip", 256, 16, 64)
    assert arch.core.local_memory == 2 << 20 and arch.core.registers == 32


def test_the_figures_of_the_page_can_be_read():
    text = (doc_tables.ROOT / "docs" / "architecture-file.md").read_text("utf-8")
    arch = parse_arch(text.split("```toml\n")[2].split("```")[0], "chip.toml")
    assert arch.timing is not None and arch.energy is not None and arch.area is not None
    assert (arch.timing.adc.convert_ns, arch.energy.adc.convert_pj, arch.area.adc.mm2) == (0.78, 1.56, 0.0012)
    assert arch.core.crossbars_per_mvmu == 8
