"""Kill the process of a contest at random moments, again and again, and go on.

    python -m benchmarks.live.kill [KILLS]

Contests are played to their end, from ``prepare`` to ``reveal``. After every kill the journal must
be whole and must have everything that a team has a receipt for; in the end every file must be the
same as in a contest that was never killed. The table shows in which step the kills came.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile


def main() -> None:
    """Print the table."""
    kills = sys.argv[1] if sys.argv[1:] else "100"
    with tempfile.TemporaryDirectory(prefix="quintain-bench-") as place:
        command = [sys.executable, "-m", "tests.runs.crashes.killed", place, kills]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    report = json.loads(done.stdout)
    print("| interrupted step | kills |\n|---|---:|")
    for step, count in sorted(report["kills"].items()):
        print(f"| {step} | {count} |")
    print(f"\n{report['contests']} contests; problems: {report['problems'] or 'none'}")


if __name__ == "__main__":
    main()
