"""What the tests of several hosts stand on: hosts that are apart, cables that can be cut, power that can fail."""

import subprocess
import sys

import pytest
from namespaces import Lab

PYTHON = [sys.executable, "-I", "-S", "-c"]
ECHO = """import socket
with socket.create_server(("", 5000)) as server:
    print("listens", flush=True)
    while True:
        link, _ = server.accept()
        while data := link.recv(100):
            link.sendall(data)
"""
ASK = "import socket, sys; socket.create_connection((sys.argv[1], 5000), timeout=float(sys.argv[2]))"
TALK = """import socket, sys
link = socket.create_connection((sys.argv[1], 5000), timeout=20)
for line in sys.stdin:
    link.sendall(line.encode())
    print(link.recv(100).decode(), end="", flush=True)
"""


@pytest.fixture
def lab(tmp_path):
    with Lab(tmp_path) as found:
        yield found


def echo(host):
    process = host.popen([*PYTHON, ECHO], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"listens\n"
    return process


def reaches(host, other, seconds=5.0):
    return host.run([*PYTHON, ASK, other.address, str(seconds)]).returncode == 0


def test_hosts_have_names_files_and_processes_of_their_own_and_reach_each_other(lab):
    one, two, *_ = lab.hosts
    assert [host.run(["hostname"]).stdout.strip() for host in lab.hosts] == ["h1", "h2", "h3", "h4"]
    for folder in ("/tmp", "/dev/shm"):
        one.run(["touch", f"{folder}/mine"], check=True)
        assert "mine" in one.run(["ls", folder]).stdout and "mine" not in two.run(["ls", folder]).stdout
    assert len(one.run(["sh", "-c", "echo /proc/[0-9]*"]).stdout.split()) <= 3
    assert one.run([sys.executable, "-c", "import launch; print(launch.__file__)"]).stdout.strip()
    with echo(two) as server:
        assert reaches(one, two) and len(two.processes()) == 1
        two.kill()
        server.wait()


def test_a_cable_that_is_cut_and_healed_loses_nothing(lab):
    one, two, three, _ = lab.hosts
    with echo(two) as server, one.popen([*PYTHON, TALK, two.address], stdin=-1, stdout=-1, text=True) as talk:

        def say(word):
            talk.stdin.write(f"{word}\n")
            talk.stdin.flush()

        say("before")
        assert talk.stdout.readline() == "before\n"
        two.cut()
        say("meanwhile")
        assert not reaches(three, two, 0.5)
        two.heal()
        assert talk.stdout.readline() == "meanwhile\n" and reaches(three, two)
        one.kill()
        two.kill()
        talk.wait()
        server.wait()


def test_power_that_fails_takes_all_processes_of_one_host(lab):
    one, two, *_ = lab.hosts
    with echo(one) as first, echo(two) as second:
        one.kill()
        assert first.wait(5) and one.processes() == [] and second.poll() is None and reaches(lab.hosts[2], two)
        two.kill()
        second.wait()


@pytest.mark.parametrize("refusal", ["Operation not permitted", ""])
def test_where_hosts_cannot_be_had_a_test_is_skipped_in_a_sentence(tmp_path, monkeypatch, refusal):
    (tmp_path / "unshare").write_text(f"#!/bin/sh\n[ '{refusal}' ] && echo 'unshare failed: {refusal}' >&2\nexit 1\n")
    (tmp_path / "unshare").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(pytest.skip.Exception, match=f"cannot be had here.*{refusal}.*: they take root"):
        Lab(tmp_path)
