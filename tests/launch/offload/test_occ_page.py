"""The table of OCC's kernels on the page offload.md, counted anew."""

import occ_table
import pytest
from snippets import ROOT

from compiler.offload.kernels import KERNELS

PAGE = (ROOT / "docs" / "offload.md").read_text("utf-8")


@pytest.mark.few(4)
@pytest.mark.parametrize("name", KERNELS)
def test_a_row_is_what_is_counted_now(name):
    assert occ_table.row(name) in PAGE.splitlines(), "python -m occ_table prints the table"


def test_the_table_has_all_kernels():
    assert [name for name in KERNELS if f"| `{name}` |" not in PAGE] == []
