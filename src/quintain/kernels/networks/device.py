"""Devices: networks compute on the CPU, reproducibly, or on a GPU."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from threadpoolctl import threadpool_limits

from quintain.errors import MissingExtra, PartError

if TYPE_CHECKING:
    import torch

Device = Literal["auto", "cpu", "cuda"]
"""The choices of a part; "auto" uses a GPU if the machine has one."""


def has_torch() -> bool:
    """Whether PyTorch is installed; this does not import it."""
    return importlib.util.find_spec("torch") is not None


@contextmanager
def computing(device: Device, feature: str) -> Iterator[torch.device]:
    """The device for a block of computations; refuses with the install line if PyTorch is missing.

    On the CPU a single thread computes, so that sums are the same on every machine.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtra(feature, "torch", "torch") from None
    if device == "cuda" and not torch.cuda.is_available():
        raise PartError(
            f'{feature}: this machine has no GPU; device = "auto" also works without one'
        )
    if device != "cpu" and torch.cuda.is_available():
        yield torch.device("cuda")
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield torch.device("cpu")
    finally:
        torch.set_num_threads(threads)
