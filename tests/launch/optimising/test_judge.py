"""The judge of a search says of programs in memory what `emu time` and `emu info` say of the image of them."""

from pathlib import Path

import pytest
from commands import DIGITS

from compiler.request import make_request
from compiler.search.candidates import Candidates
from emu.arch.read import load_arch
from emu.census.census import census_of_image
from emu.image.reader import open_image
from emu.noc.ports.port import FlowControl
from launch.images.compilation import compile_image
from launch.optimising.judge import judge_on
from launch.timing.peak import peak_of, peak_values
from launch.timing.report import make_report
from launch.timing.timed_image import time_image


@pytest.mark.parametrize("flow", ["rendezvous", "credits:2"])
def test_figures_are_those_of_the_commands(tmp_path: Path, flow: str) -> None:
    options = {"arch": "isaac", "cores": 16, "arrange": "traffic"}
    compile_image(DIGITS, tmp_path / "out", golden="none", **options)
    request = make_request(DIGITS, **options)
    found = judge_on(request.arch, FlowControl.parse(flow))(Candidates(request).programs(request, lambda: None))
    report = make_report(time_image(tmp_path / "out", None, FlowControl.parse(flow)))
    assert (found.latency_ps, found.period_ps) == (report.latency_ps, report.period_ps)
    assert report.energy is not None
    assert found.energy_pj == report.energy.dynamic_pj + report.static_pj(report.period_ps)
    image = open_image(tmp_path / "out")
    census = census_of_image(image)
    assert (found.byte_hops, found.bytes_sent) == (census.byte_hops, census.total.sent)


def test_peak_power_is_told_if_it_is_asked_for(tmp_path: Path) -> None:
    compile_image(DIGITS, tmp_path / "out", golden="none", arch="isaac", cores=16)
    request = make_request(DIGITS, arch="isaac", cores=16)
    programs = Candidates(request).programs(request, lambda: None)
    timed = time_image(tmp_path / "out", None, FlowControl())
    asked = judge_on(request.arch, FlowControl(), "peak_power_mw")(programs)
    assert asked.peak_power_mw == peak_values(timed, peak_of(timed))["power_mw"] > 0
    assert judge_on(request.arch, FlowControl())(programs).peak_power_mw is None


def test_of_a_chip_without_times_only_bytes_are_known() -> None:
    request = make_request(DIGITS, cores=16)
    found = judge_on(load_arch("default"), FlowControl())(Candidates(request).programs(request, lambda: None))
    assert found.bytes_sent > 0 and found.byte_hops >= found.bytes_sent
    assert (found.latency_ps, found.period_ps, found.energy_pj) == (None, None, None)
