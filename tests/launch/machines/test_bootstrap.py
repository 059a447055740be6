import io

import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from launch.machines.bootstrap import Bootstrap, check_join_address

ADDRESS = "tcp://10.0.0.1:4000"


def fresh() -> Bootstrap:
    return Bootstrap.fresh(ADDRESS, zmq.curve_keypair()[0].decode())


def test_an_agent_reads_what_the_launcher_writes():
    for _ in range(100):
        told = fresh()
        assert Bootstrap.read(ADDRESS, io.BytesIO(told.line())) == told


def test_every_secret_is_new():
    assert len({fresh().secret for _ in range(10)}) == 10


def test_no_text_of_it_shows_key_or_secret():
    told = fresh()
    for text in (repr(told), str(told), f"{[told]}"):
        assert ADDRESS in text and told.secret not in text and told.server_key not in text
    words = " ".join(told.command(3))
    assert told.secret not in words and told.server_key not in words


def test_the_command_names_the_address_and_rank_and_name_if_there_are_any():
    start = ["python9", "-P", "-m", "launch", "agent", "--join", ADDRESS]
    assert fresh().command(3, "h3", "python9") == [*start, "--rank", "3", "--name", "h3"]
    assert fresh().command(python="python9") == start


@given(st.binary(max_size=400))
def test_any_other_line_is_refused_in_a_sentence(line: bytes):
    with pytest.raises(InputError, match="the first line of standard input is not what a launcher tells its agents"):
        Bootstrap.read(ADDRESS, io.BytesIO(line))


def test_an_endless_line_is_not_read_to_its_end():
    stream = io.BytesIO(b"a" * 1_000_000)
    with pytest.raises(InputError, match="standard input"):
        Bootstrap.read(ADDRESS, stream)
    assert stream.tell() < 1000


@pytest.mark.parametrize("text", [ADDRESS, "tcp://[::1]:1", "tcp://[fe80::1%eth0]:65535", "tcp://node-1.cluster:80"])
def test_addresses_of_launchers(text: str):
    check_join_address(text)


@pytest.mark.parametrize(
    "text", ["", "10.0.0.1:4000", "ipc:///x", "tcp://a", "tcp://a:0", "tcp://a:65536", "tcp://a:²"]
)
def test_what_is_no_address_of_a_launcher(text: str):
    with pytest.raises(InputError, match=r"join.*is no address of a launcher: give tcp://HOST:PORT"):
        check_join_address(text)
    with pytest.raises(InputError, match="is no address"):
        Bootstrap.read(text, io.BytesIO(fresh().line()))
