"""Where networks compute: on the processor, the same every time, or on a GPU."""

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
"""What a part may be told: "auto" takes a GPU if there is one."""


def has_torch() -> bool:
    """Whether PyTorch is installed; asking does not import it."""
    return importlib.util.find_spec("torch") is not None


@contextmanager
def computing(device: Device, feature: str) -> Iterator[torch.device]:
    """A place to compute in this block; refuses with the line that installs PyTorch.

    On the processor one thread computes, so that sums come out the same every time, whatever the
    machine has.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtra(feature, "torch", "torch") from None
    if device == "cuda" and not torch.cuda.is_available():
        raise PartError(f'{feature}: there is no GPU here; device = "auto" would do without')
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
