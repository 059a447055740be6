"""Two hosts that do not reach each other, but the launcher does: what is on its way is late, neither lost nor stuck."""

import subprocess
import sys
import time

import pytest
from images import byte_tensor, write_image
from namespaces import Lab
from stepper import program

from emu.noc.wire.transports import TRANSPORTS
from launch.supervision.start_watch import PATIENCE

NOWHERE = "02:00:00:00:00:99"  # no card has this address
LAUNCHER = """
import sys
import numpy as np
from launch.chips.power import power_on
with power_on(sys.argv[1], hosts="h1,h2", transport="tcp", timeout=60) as chip:
    print("up", flush=True)
    for line in sys.stdin:
        print(chip.run({"x": np.full((1, 100), int(line), np.uint8)})["y"][0, 0], flush=True)
"""


@pytest.fixture
def relay(tmp_path):
    """x goes from a core of h1 to one of h2, and back."""
    programs = {
        0: program(0, ("ld", 0, 1000, 100), ("send", 1, 0, 100), ("recv", 1, 200, 100), ("st", 0, 200, 100)),
        1: program(1, ("recv", 0, 0, 100), ("send", 0, 0, 100)),
    }
    return write_image(tmp_path / "relay", programs, (byte_tensor("x", 100, 1000),), (byte_tensor("y", 100, 0),))


def parted(one, other):
    for host, peer in ((one, other), (other, one)):
        host.run(["ip", "neigh", "replace", peer.address, "lladdr", NOWHERE, "dev", "eth0"], check=True)


def joined(one, other):
    for host, peer in ((one, other), (other, one)):
        host.run(["ip", "neigh", "del", peer.address, "dev", "eth0"], check=True)


@pytest.mark.full
def test_hosts_that_are_parted_for_long_lose_nothing(tmp_path, relay):
    with Lab(tmp_path, 2) as lab:
        words = [sys.executable, "-c", LAUNCHER, relay]
        run = lab.launcher(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        with run:
            assert run.stdout.readline() == "up\n"

            def passes(number):
                run.stdin.write(f"{number}\n")
                return run.stdout.readline()

            assert passes(7) == "7\n"
            parted(*lab.hosts)
            run.stdin.write("8\n")
            began = time.monotonic()
            time.sleep(2 * TRANSPORTS["tcp"].grace + 2)
            assert run.poll() is None
            joined(*lab.hosts)
            assert run.stdout.readline() == "8\n" and time.monotonic() - began > 2 * TRANSPORTS["tcp"].grace
            assert passes(9) == "9\n"
            run.stdin.close()
            assert run.wait(20) == 0


@pytest.mark.full
def test_hosts_that_are_parted_at_the_start_are_waited_for(tmp_path, relay):
    with Lab(tmp_path, 2) as lab:
        parted(*lab.hosts)
        words = [sys.executable, "-c", LAUNCHER, relay]
        with lab.launcher(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as run:
            time.sleep(3 * (PATIENCE + 2 * TRANSPORTS["tcp"].grace))
            assert run.poll() is None
            joined(*lab.hosts)
            assert run.stdout.readline() == "up\n"
            run.stdin.close()
            assert run.wait(20) == 0
