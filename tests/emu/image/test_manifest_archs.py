"""Manifests keep the whole architecture, and those without figures of time, energy and area are read as before."""

import json

import pytest
from hypothesis import given
from strategies_archs import archs

from emu.arch.read import load_arch, preset_names
from emu.errors import ArchError
from emu.image.manifest import Manifest
from emu.image.manifest_json import manifest_from_json, manifest_to_json


@given(archs())
def test_random_architectures_survive(arch):
    assert manifest_from_json(manifest_to_json(Manifest(arch, (), (), (), 0)), "m.json").arch == arch


@pytest.mark.parametrize("name", preset_names())
def test_presets_survive(name):
    arch = load_arch(name)
    assert manifest_from_json(manifest_to_json(Manifest(arch, (), (), (), 0)), "m.json").arch == arch


def test_a_chip_without_figures_is_written_as_it_always_was():
    record = json.loads(manifest_to_json(Manifest(load_arch("default"), (), (), (), 0)))["arch"]
    assert set(record) == {"name", "cores", "note", "core", "crossbar", "global_memory", "network"}
    assert set(record["crossbar"]) == {"rows", "cols", "cell_bits"}
    assert set(record["network"]) == {"topology", "width"}


def test_impossible_figures_are_refused():
    record = json.loads(manifest_to_json(Manifest(load_arch("isaac"), (), (), (), 0)))
    record["arch"]["timing"]["adc"]["convert_ns"] = -1
    with pytest.raises(ArchError, match=r"m.json: arch: timing.adc.convert_ns must be from 0.001 to 1e9, not -1"):
        manifest_from_json(json.dumps(record), "m.json")
