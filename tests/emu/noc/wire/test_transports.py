"""A transport is one row: sockets and errors read everything about it from the table."""

import dataclasses

import pytest
from stepper import program
from wired import WiredChip

from emu.errors import InputError
from emu.noc.wire.bind_address import check_bind_address
from emu.noc.wire.transports import TRANSPORTS, transport_of


@pytest.fixture
def abstract(monkeypatch):
    """Unix sockets that have no file."""
    row = dataclasses.replace(
        TRANSPORTS["ipc"], title="abstract", endpoint=lambda directory, name, address: f"ipc://@{directory}/{name}"
    )
    monkeypatch.setitem(TRANSPORTS, "abstract", row)
    return "abstract"


def test_a_new_row_carries_messages(abstract, tmp_path):
    programs = {0: program(0, ("lldi", 0, 7, 4), ("send", 1, 0, 4)), 1: program(1, ("recv", 0, 0, 4))}
    with WiredChip(programs, tmp_path, transport=abstract) as chip:
        chip.run()
        assert chip.halted == {0, 1} and chip.machines[1].memory[:4] == bytes([7] * 4)
    assert list(tmp_path.iterdir()) == []


def test_errors_know_a_new_row(abstract):
    assert transport_of(abstract) is TRANSPORTS[abstract]
    with pytest.raises(InputError, match="no effect with transport='abstract': add transport='tcp'"):
        check_bind_address("127.0.0.1", abstract)


def test_an_unknown_one_is_refused_with_all_that_there_are(abstract):
    with pytest.raises(InputError, match="'udp' is unknown: use one of ipc, tcp, abstract"):
        transport_of("udp")
