"""Chips of which resources are changed: what changes, what does not, and that costs are those of preparing anew."""

from dataclasses import fields, replace

import numpy as np
import pytest
from product_sets import products

from emu.arch.figures import Timing
from emu.arch.key import tables_of
from emu.arch.read import load_arch
from emu.arch.system import System
from emu.noc.ports.port import FlowControl
from emu.timing.changes import RESOURCES, ChipChanges, changed, resources_of
from emu.timing.fast.fast import fast
from emu.timing.prepare import prepare
from emu.timing.repriced import repriced

SCALED = ("_ns", "_gb_per_s")
CHIPS = ("puma", "isaac", "pimsim-latency")


@pytest.mark.parametrize("name", CHIPS)
@pytest.mark.parametrize("factor", [0.0, 0.5, 1.0, 3.0])
def test_costs_are_those_of_preparing_anew(name, factor):
    setup = prepare({0: products(3)}, load_arch(name), FlowControl())
    for resource in resources_of(load_arch(name)):
        chip = changed(load_arch(name), ChipChanges({resource: factor}))
        again, anew = repriced(setup, chip), prepare({0: products(3)}, chip, FlowControl())
        assert (again.window, again.local_ports, again.fill) == (anew.window, anew.local_ports, anew.fill)
        for section in ("init", "main"):
            costs = [each.cores[0].sections[section].costs for each in (again, anew)]
            for column in ("unit", "issue", "read", "compute", "interval", "write", "wire", "service"):
                assert np.array_equal(getattr(costs[0], column), getattr(costs[1], column)), (resource, column)
        assert fast(again).latency == fast(anew).latency


@pytest.mark.parametrize("name", sorted(tables_of(Timing)))
@pytest.mark.parametrize("factor", [0.0, 0.5, 3.0])
def test_times_are_multiplied_and_rates_divided(factor, name):
    part = tables_of(Timing)[name]
    given_part = part(**{field.name: 6 if field.name.endswith(SCALED) else None for field in fields(part)})
    puma = replace(load_arch("puma"), system=System(2))
    arch = replace(puma, timing=replace(puma.timing, **{name: given_part}))
    found = getattr(changed(arch, ChipChanges({name: factor})).timing, name)
    for field in fields(part):
        value, was = getattr(found, field.name), getattr(given_part, field.name)
        if field.name.endswith("_ns"):
            assert value == was * factor
        elif field.name.endswith("_gb_per_s"):
            assert value == (was / factor if factor else None)
        else:
            assert value == was


@pytest.mark.parametrize("name", CHIPS)
def test_free_takes_least_and_nothing_changes_at_once(name):
    arch = load_arch(name)
    setup = prepare({0: products(3)}, arch, FlowControl())
    for resource in resources_of(arch):
        assert changed(arch, ChipChanges({resource: 0.0})) != arch
        times = [
            fast(repriced(setup, changed(arch, ChipChanges({resource: factor})))).latency for factor in (0.0, 1.0, 2.0)
        ]
        assert times[0] <= fast(setup).latency
        if resource not in ("links", "local_ports"):
            assert times == sorted(times) and times[1] == fast(setup).latency


def test_resources_that_a_chip_does_not_have():
    assert set(resources_of(load_arch("puma"))) < set(RESOURCES) - {"links", "local_ports", "dac"}
    assert "local_ports" in resources_of(load_arch("pimsim-latency"))
    contended = replace(load_arch("puma").network, contention="links", hop_ns=1.0)
    arch = replace(load_arch("puma"), network=contended)
    assert "links" in resources_of(arch)
    assert changed(arch, ChipChanges({"network": 0.0})).network.contention == "none"
    assert changed(arch, ChipChanges({"network": 2.0})).network.contention == "links"
