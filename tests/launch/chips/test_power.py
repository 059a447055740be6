"""Chips of real processes: the same bits as in one process, for every transport and flow; nothing left behind."""

import threading
from pathlib import Path

import numpy as np
import pytest
from images import ARCH, byte_tensor, write_image
from program_sets import SLOT, ordered_messages
from stepper import program
from tensors import image_buffer

from emu.errors import InputError, ProgramError
from emu.isa.dtypes import DType
from emu.program.program import Program
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential

CORES = 4
ORDER = [(0, 1, 60), (1, 2, 1), (2, 3, 33), (3, 0, 61), (0, 2, 7), (2, 1, 61), (1, 3, 30), (3, 2, 50), (0, 3, 61)] * 3


@pytest.fixture
def mixed(tmp_path):
    """Four cores that exchange messages in one order; two of them also read the input."""
    programs = ordered_messages(CORES, ORDER)
    image = tmp_path / "mixed"
    return write_image(image, programs, (), (byte_tensor("y", 4 * SLOT * CORES, 0),))


@pytest.fixture
def relay(tmp_path):
    """x of 100 bytes goes through three cores to y; core 1 keeps it as tensor `middle`."""
    programs = {
        0: program(0, ("ld", 0, 1000, 100), ("send", 1, 0, 100)),
        1: program(1, ("recv", 0, 0, 100), ("send", 2, 0, 100)),
        2: program(2, ("recv", 1, 8, 100), ("st", 0, 8, 100)),
    }
    middle = image_buffer("middle", (0, 100), 1, 1, DType.u8, 0, 1)
    programs[1] = Program(1, main=programs[1].main, buffers=(middle,))
    return write_image(tmp_path / "relay", programs, (byte_tensor("x", 100, 1000),), (byte_tensor("y", 100, 0),))


def samples(count):
    return [{"x": np.full((1, 100), k + 1, np.uint8)} for k in range(count)]


@pytest.mark.parametrize(
    ("transport", "flow", "engine"),
    [
        ("ipc", "rendezvous", "batch"),
        ("ipc", "credits:1", "step"),
        ("tcp", "rendezvous", "batch"),
        ("tcp", "credits:8", "batch"),
    ],
)
def test_same_bits_as_in_one_process(mixed, transport, flow, engine):
    with power_on_sequential(mixed, flow=flow, engine="step") as chip:
        expected = chip.run({})["y"]
    with power_on(mixed, transport=transport, flow=flow, engine=engine, timeout=60) as chip:
        for result in chip.stream([{}] * 3):
            assert np.array_equal(result.outputs["y"], expected)


@pytest.mark.parametrize("keep", [["middle"], ["all"]])
@pytest.mark.parametrize("power", [power_on, power_on_sequential])
def test_samples_stream_in_order_with_captures(relay, power, keep):
    with power(relay, keep=keep, timeout=60) as chip:
        results = list(chip.stream(samples(7)))
        assert [result.sample for result in results] == list(range(7))
        for k, result in enumerate(results):
            assert result.outputs["y"].tolist() == [[k + 1] * 100]
            assert result.captures == {(1, 0): bytes([k + 1] * 100)}
        assert chip.run(samples(1)[0])["y"][0, 0] == 1
        assert [result.sample for result in chip.stream(samples(2))] == [0, 1]  # of this stream
        assert (chip.cores, chip.cores_with_program) == (3, (0, 1, 2))


def test_an_abandoned_stream_does_not_disturb_the_next(relay):
    with power_on(relay, timeout=60) as chip:
        stream = chip.stream(samples(4))
        assert next(stream).sample == 0
        stream.close()
        assert chip.run({"x": np.full((1, 100), 77, np.uint8)})["y"][0, 0] == 77


@pytest.mark.parametrize("power", [power_on, power_on_sequential])
def test_one_stream_at_a_time(relay, power):
    one = samples(1)[0]
    with power(relay, timeout=60) as chip:
        stream = chip.stream(samples(4))
        next(stream)
        with pytest.raises(InputError, match="in use by a stream of thread 'MainThread': finish or close it"):
            chip.run(one)
        refused = []

        def work():
            with pytest.raises(InputError, match="in use by a stream of thread 'MainThread'") as caught:
                chip.run(one)
            refused.append(caught.value)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert len(refused) == 1
        assert [result.outputs["y"][0, 0] for result in stream] == [2, 3, 4]
        assert chip.run(one)["y"][0, 0] == 1


@pytest.mark.parametrize("power", [power_on, power_on_sequential])
def test_a_chip_is_off_after_its_block(relay, power):
    with power(relay, timeout=60) as chip:
        stream = chip.stream(samples(3))
        next(stream)
    with pytest.raises(InputError, match="the chip is off"):
        next(stream)
    with pytest.raises(InputError, match="the chip is off"):
        chip.run(samples(1)[0])


@pytest.mark.parametrize("flow", ["rendezvous", "credits:2"])
def test_megabyte_messages_survive_reuse_of_the_buffer(tmp_path, flow):
    size = 1 << 20
    sends = [step for k in (3, 4, 5) for step in (("lldi", 0, k, size), ("send", 1, 0, size), ("lldi", 0, 9, size))]
    stores = [step for k in range(3) for step in (("recv", 0, 0, size), ("st", k * size, 0, size))]
    programs = {0: program(0, *sends), 1: program(1, *stores)}
    image = write_image(tmp_path / "big", programs, (), (byte_tensor("y", 3 * size, 0),))
    with power_on(image, flow=flow, timeout=60) as chip:
        y = chip.run({})["y"].reshape(3, size)
        assert (y == np.array([[3], [4], [5]])).all()


def test_idle_cores_join_and_halt(relay):
    with power_on(relay, cores=20, timeout=60) as chip:
        assert (chip.cores, chip.cores_with_program) == (20, (0, 1, 2))
        assert chip.run(samples(1)[0])["y"][0, 0] == 1
        assert [result.sample for result in chip.stream(samples(2))] == [0, 1]  # of this stream


@pytest.mark.parametrize("power", [power_on, power_on_sequential])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cores": 2}, "needs at least 3 cores"),
        ({"cores": 5000}, "has at most 1024 cores"),
        ({"engine": "warp"}, "'warp' is unknown: use one of step, batch"),
        ({"flow": "credits:0"}, "credits:K"),
        ({"keep": ["nothing"]}, "'nothing' cannot be kept"),
        ({"keep": "all"}, "keep 'all' is one text: give a list"),
        ({"cores": "9"}, "cores '9' is no number of cores"),
        ({"timeout": 0}, "timeout 0 is invalid"),
        ({"timeout": float("nan")}, "timeout nan is invalid"),
    ],
)
def test_bad_options_are_refused_before_anything_starts(relay, power, options, message):
    with pytest.raises(InputError, match=message), power(relay, **options):
        pass


def test_bad_transport_and_log_directory_are_refused(relay):
    with pytest.raises(InputError, match="use one of ipc, tcp"), power_on(relay, transport="pigeon"):
        pass
    with pytest.raises(InputError, match="log_dir"), power_on(relay, log_dir=relay / "manifest.json" / "logs"):
        pass


@pytest.mark.parametrize("power", [power_on, power_on_sequential])
def test_bad_inputs_are_named_and_the_chip_goes_on(relay, power):
    with power(relay, timeout=60) as chip:
        with pytest.raises(InputError, match="input 'x' is missing"):
            chip.run({})
        with pytest.raises(InputError, match="'z' is no input: the network takes 'x'"):
            chip.run(samples(1)[0] | {"z": np.zeros(1)})
        with pytest.raises(InputError, match="a dictionary of name and array, not NoneType: the network takes 'x'"):
            chip.run(None)
        with pytest.raises(InputError, match="'x'"):
            chip.run({"x": np.zeros((1, 99), np.uint8)})
        assert chip.run(samples(1)[0])["y"][0, 0] == 1
        assert [result.sample for result in chip.stream(samples(2))] == [0, 1]  # of this stream


@pytest.mark.parametrize("power", [power_on, power_on_sequential])
def test_outputs_that_nobody_stored_are_named(tmp_path, power):
    programs = {0: program(0, ("lldi", 0, 1, 8), ("st", 0, 0, 8), ("st", 12, 0, 4))}
    image = write_image(tmp_path / "holes", programs, (), (byte_tensor("first", 8, 0), byte_tensor("second", 8, 8)))
    with power(image) as chip, pytest.raises(ProgramError, match="output 'second' is incomplete: 4 bytes") as caught:
        chip.run({})
    assert caught.value.exit_code == 1  # the programs run, and wrongly


def test_logs_tell_samples_and_times(relay, tmp_path):
    with power_on(relay, log_dir=tmp_path / "logs", seed=5, timeout=60) as chip:
        list(chip.stream(samples(2)))
    text = (tmp_path / "logs" / "core_0001.log").read_text()
    for part in ("seed 5", "begin init", "begin sample 1", "end sample 1 after"):
        assert part in text
    names = sorted(path.name for path in (tmp_path / "logs").iterdir())
    assert names == ["all.log", "core_0000.log", "core_0001.log", "core_0002.log", "launcher.log"]


def test_folders_may_have_names_that_are_no_text(relay, tmp_path):
    strange = relay.rename(tmp_path / "relay\udcff")
    with power_on(strange, log_dir=tmp_path / "logs\udcff") as chip:
        assert chip.run(samples(1)[0])["y"].sum() == 100
    log = (tmp_path / "logs\udcff" / "all.log").read_text()
    assert "relay\\udcff" in log


def test_power_on_from_a_thread_and_two_chips_at_once(relay):
    outputs = []

    def work():
        with power_on(relay, timeout=60) as chip:
            outputs.append(chip.run(samples(1)[0])["y"][0, 0])

    with power_on(relay, timeout=60) as chip:
        thread = threading.Thread(target=work)
        thread.start()
        outputs.append(chip.run(samples(1)[0])["y"][0, 0])
        thread.join()
    assert outputs == [1, 1]


def test_long_temporary_directories_do_not_matter(relay, tmp_path, monkeypatch):
    long = tmp_path / ("d" * 100)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    files = Path("/proc/self/fd")
    before = len(list(files.iterdir()))
    with power_on(relay, timeout=60) as chip:
        assert chip.run(samples(1)[0])["y"][0, 0] == 1
        assert [result.sample for result in chip.stream(samples(2))] == [0, 1]  # of this stream
    assert not list(long.iterdir())
    del chip
    assert len(list(files.iterdir())) == before


@pytest.mark.full
def test_a_thousand_idle_cores(relay):
    with power_on(relay, cores=ARCH.cores, timeout=100) as chip:
        assert chip.run(samples(1)[0])["y"][0, 0] == 1
        assert [result.sample for result in chip.stream(samples(2))] == [0, 1]  # of this stream
