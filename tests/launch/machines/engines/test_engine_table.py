from importlib import metadata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from launch.machines.engines.dask import Dask
from launch.machines.engines.local import Local
from launch.machines.engines.slurm import Slurm
from launch.machines.engines.ssh import Ssh
from launch.machines.engines.table import ENTRY_POINTS, engine_of


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("local:4", Local(4)),
        ("a", Ssh(["a"])),
        ("a,b.example.org,me@10.0.0.1", Ssh(["a", "b.example.org", "me@10.0.0.1"])),
        ("a, b", Ssh(["a", "b"])),
        ("ssh:me@example.org@jump,me@::1", Ssh(["me@example.org@jump", "me@::1"])),
        ("ssh:slurm,::1", Ssh(["slurm", "::1"])),
        ("dask:tcp://10.0.0.1:8786", Dask("tcp://10.0.0.1:8786")),
        ("dask:/shared/scheduler.json", Dask("/shared/scheduler.json")),
    ],
)
def test_engines_by_text(text, engine):
    found = engine_of(text)
    assert found == engine and type(found) is type(engine)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no engine: use local:N .*, HOST,HOST,... .*, slurm .*, dask:ADDRESS"),
        ("locale:4", "'locale:4' names no engine: .*; did you mean 'local'"),
        ("local", "local: is not local:N with N from 1 to 1000"),
        ("local:0", "local:0 is not local:N"),
        ("local:²", "is not local:N"),
        ("local:99999999999999", "is not local:N"),
        ("a,,b", "'' is no name of a host"),
        ("a,-oProxyCommand=x", "'-oProxyCommand=x' is no name of a host"),
        ("a,b;c", "'b;c' is no name of a host"),
        ("a,me@", "'me@' is no name of a host"),
        ("@b", "'@b' is no name of a host"),
        ("a,b,a", "has host a twice"),
        ("dask", "dask names no scheduler: use dask:tcp://HOST:PORT"),
        ("slurm:4", "slurm:4: slurm takes nothing"),
    ],
)
def test_what_is_no_engine_is_refused_in_a_sentence(text, words):
    with pytest.raises(InputError, match=words):
        engine_of(text)


@given(st.text(max_size=60))
def test_any_text_is_an_engine_or_refused(text):
    try:
        engine = engine_of(text)
    except InputError:
        return
    assert isinstance(engine, (Local, Ssh, Dask, Slurm))


class Desk:
    """An engine of somebody else."""

    form = "desk:NAME"

    def __init__(self, rest):
        self.rest = rest

    parse = classmethod(lambda cls, rest: cls(rest))


@pytest.fixture
def installed(monkeypatch):
    entries = [
        metadata.EntryPoint("desk", f"{__name__}:Desk", ENTRY_POINTS),
        metadata.EntryPoint("local", f"{__name__}:Desk", ENTRY_POINTS),
        metadata.EntryPoint("broken", "nothing_here:Desk", ENTRY_POINTS),
    ]
    monkeypatch.setattr(
        "launch.machines.engines.table.entry_points", lambda group: entries if group == ENTRY_POINTS else []
    )


def test_an_engine_of_an_installed_package_is_one_class(installed):
    found = engine_of("desk:a:b")
    assert type(found).__name__ == "Desk" and found.rest == "a:b"
    assert isinstance(engine_of("local:1"), Local)  # no package takes the place of ours
    with pytest.raises(InputError, match=r"names no engine: use .*, desk, broken"):
        engine_of("x:1")
    with pytest.raises(InputError, match="engine 'broken' of hosts cannot be imported: No module named 'nothing_here'"):
        engine_of("broken")
