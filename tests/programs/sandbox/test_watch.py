"""Watch: the processes of a call are found, and one that ends meanwhile is no fault."""

import os
import subprocess

from quintain.programs.sandbox.watch import descendants


def test_children_of_children_are_descendants():
    with subprocess.Popen(
        ["sh", "-c", "sh -c 'echo ready; read line'; :"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as shell:
        assert shell.stdout is not None
        assert shell.stdout.readline() == b"ready\n"
        own = list(descendants(os.getpid()))
        assert shell.pid in own
        assert set(descendants(shell.pid)) < set(own)
        assert list(descendants(shell.pid))
        shell.communicate(b"\n")


def test_a_process_that_has_ended_has_no_descendants():
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    assert list(descendants(ended.pid)) == []
