"""Sends memory without copying it, where ZeroMQ can: the sender must not change it before it was taken."""

from __future__ import annotations

import ctypes
import errno
import importlib
from collections.abc import Callable

import numpy as np
import zmq


def find() -> Callable[..., int] | None:
    """libzmq's `zmq_send_const`, from the very library that pyzmq uses; None if it is not to be found."""
    try:
        library = importlib.import_module("zmq.backend.cython._zmq").__file__
        function = ctypes.CDLL(library, use_errno=True).zmq_send_const
    except (ImportError, OSError, AttributeError):
        return None
    function.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    function.restype = ctypes.c_int
    return function


SEND_CONST = find()


def sends_without_copy() -> bool:
    """Whether this machine's pyzmq has what is needed; without it large messages are copied, which costs time only."""
    return SEND_CONST is not None


def send_constant(socket: zmq.Socket[bytes], data: memoryview) -> None:
    """Send one last frame through `socket`: memory (contiguous) that stays as it is until it was taken.

    Raises ZMQError.
    """
    if SEND_CONST is None:
        socket.send(data)
    elif SEND_CONST(socket.underlying, np.frombuffer(data, np.uint8).__array_interface__["data"][0], len(data), 0) < 0:
        raise zmq.ZMQError(ctypes.get_errno() or errno.EIO)
