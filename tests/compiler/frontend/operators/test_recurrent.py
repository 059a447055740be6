"""LSTM, GRU and RNN that cannot be: one sentence with the node and what does not fit."""

import numpy as np
import pytest
from in_process import compile_in_memory
from recurrent_nets import layer

from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(4, 4))


def refused(net, words, layout=0, arch=SMALL):
    with pytest.raises(CompileError, match=words) as caught:
        compile_in_memory(net.model(layout), arch, 24)
    assert "cell" in str(caught.value) and "\n" not in str(caught.value)


def test_recurrent_weights_that_no_core_can_hold():
    refused(
        layer("LSTM", 3, size=40),
        r"node cell \(LSTM\): .* take 400 crossbars of 4 x 4 on one core.* holds 64 .*core\.crossbars",
    )


@pytest.mark.parametrize("name", ["w", "r", "b"])
def test_weights_that_are_computed_at_run_time(name):
    net = layer("GRU", 3)
    net.runtime.add(name)
    refused(net, "at run time")


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"activations": ["Tanh"]}, "names 1 activations, but needs 2"),
        ({"activations": ["Tanh", "Swish"]}, "'Swish', which is none of Relu, "),
        ({"activations": ["Tanh", "Affine"]}, "gives Affine no alpha"),
        ({"activations": ["Tanh", "ScaledTanh"], "activation_alpha": [1.0]}, "gives ScaledTanh no beta"),
        ({"direction": "sideways"}, "direction 'sideways'"),
        ({"hidden_size": 5}, "hidden_size 5, but weights for 3"),
        ({"layout": 2}, "layout 2"),
    ],
)
def test_attributes_that_do_not_fit(attributes, words):
    refused(layer("GRU", 3, **attributes), words)


@pytest.mark.parametrize(
    ("name", "array", "words"),
    [
        ("lengths", np.array([3, 4], np.int32), r"sequence_lens \[3, 4\], not 2 numbers of steps up to 3"),
        ("lengths", np.array([3], np.int32), r"sequence_lens \[3\]"),
        ("initial_h", np.zeros((1, 2, 4), np.float32), r"initial h of shape \[1, 2, 4\], not \[1, 2, 3\]"),
        ("p", np.zeros((1, 8), np.float32), r"peepholes of shape \[1, 8\], not \[1, 9\]"),
        ("b", np.zeros((1, 8), np.float32), r"bias of shape \[1, 8\], not \[1, 24\]"),
        ("w", np.zeros((2, 12, 4), np.float32), r"weights of shape \[2, 12, 4\] and \[1, 12, 3\]"),
    ],
)
def test_operands_that_do_not_fit(name, array, words):
    net = layer("LSTM", 3)
    net.operands[name] = array
    refused(net, words)
