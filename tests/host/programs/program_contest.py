"""A small contest of programs on a site, and workers that run them."""

import threading
from contextlib import contextmanager

from quintain_host.queue import show_presence
from quintain_host.site import Site
from quintain_host.work.worker import Worker

CONTRACT = 'contract = { use = "hide-and-seek", steps = 10, limits = { seconds = 20 } }'

EDITION = f"""
include = "hide-and-seek"
id = "hide"
baseline = []

[dataset]
rows = 40
steps = 10
features = 4

[[phase]]
id = "hide"
submit = "release"
{CONTRACT}
opens = 2026-05-01T00:00:00Z
closes = 2026-05-10T00:00:00Z

[[phase]]
id = "seek"
submit = "guess"
{CONTRACT}
opens = 2026-05-11T00:00:00Z
closes = 2026-05-20T00:00:00Z
"""

HIDER = """
import numpy as np

def hider(input_dict):
    rng = np.random.default_rng(input_dict["seed"])
    data = input_dict["data"]
    return data + rng.normal(0, 0.01, data.shape), input_dict["padding_mask"]
"""

FAILING = "def hider(input_dict):\n    raise ValueError('no idea')\n"

DEADLY = "import os, signal\n\ndef hider(input_dict):\n    os.kill(os.getpid(), signal.SIGKILL)\n"


def is_here(site: Site, name: str = "sandbox-1") -> None:
    """Say that a program worker is here; the clocks of tests jump further than it waits."""
    show_presence(site.database, name, ["program"], site.clock.now(), able=True)


@contextmanager
def program_worker(site: Site, name: str = "sandbox-1"):
    """A worker that runs programs, in a thread of this process."""
    worker = Worker(site, name, ["program"], pause=0.05, able=True)
    is_here(site, name)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield worker
    finally:
        worker.stop()
        thread.join()
