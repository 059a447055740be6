"""`--bisect` of a network that a faulty compiler has compiled: the pass is named, and the instruction that is there."""

import numpy as np
import pytest
from commands import DIGITS

from compiler.basis.weights import Array, WeightStore
from compiler.kernels.vadd import VAddOp
from launch.bisect.finding import Site
from launch.levels.blaming import is_there
from launch.runs.validation import validate


def test_the_pass_behind_a_wrong_bias_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_filters(self: VAddOp, weights: WeightStore, streamed: bool) -> list[Array]:
        low, high = self.channels.whole
        return [] if self.bias is None else [np.asarray(weights.get(self.bias.data))[None, None, : high - low]]

    monkeypatch.setattr(VAddOp, "constant_data", first_filters)
    report = validate(DIGITS, "tiny", placement="scatter", sequential=True, bisect=True)
    finding = report.finding
    assert report.exit_code == 1 and finding is not None and finding.levels is not None
    differs = finding.levels["differs"]
    assert (differs["step"], differs["operation"], differs["node"]) == (
        "lower-spat-to-pim",
        "kernel.vadd",
        "node_Conv_38",
    )
    assert (finding.by, finding.node, finding.core) == ("levels", "node_Conv_38", differs["core"])
    assert finding.site is not None and finding.site.instruction.startswith("vvadd")
    assert "the first step that changes the network is lower-spat-to-pim: kernel.vadd" in finding.lines()[-1]


def test_a_message_is_not_to_blame_for_what_it_carries() -> None:
    site = Site(3, "node", index=5, instruction="vvadd.f32 l[0x0], l[0x0], l[0x40], 16")
    assert is_there(site, "node", 3) and is_there(site, "node", None)
    assert not is_there(site, "other", 3) and not is_there(site, "node", 4)
    for text in ("send core 2, l[0x0], 64", "recv core 2, l[0x0], 64", "st g[0x0], l[0x0], 64"):
        assert not is_there(Site(3, "node", index=5, instruction=text), "node", 3)
