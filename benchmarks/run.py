"""Run every quick benchmark of this folder, or those named, each in a process of its own.

    python benchmarks/run.py [NAME ...]

A benchmark is a script that runs ours and its peers side by side and prints a Markdown table. The
tables are printed and kept in ``benchmarks/results``.
"""

import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SLOW = {
    "amic_players",
    "gpu_hide_and_seek",
    "hide_and_seek_neural",
    "snake_attacks",
    "snake_repeats",
}
"""These take many minutes, or want a GPU, and are run only if named."""


def main() -> None:
    """Run the benchmarks and keep their tables."""
    known = sorted(path.stem for path in HERE.glob("*.py") if path.name != "run.py")
    chosen = sys.argv[1:] or [name for name in known if name not in SLOW]
    (HERE / "results").mkdir(exist_ok=True)
    for name in chosen:
        if name not in known:
            sys.exit(f"no benchmark {name!r}; there is {', '.join(known)}")
        print(f"## {name}\n", flush=True)
        done = subprocess.run(
            [sys.executable, HERE / f"{name}.py"], stdout=subprocess.PIPE, text=True, check=True
        )
        print(done.stdout, flush=True)
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        (HERE / "results" / f"{name}.md").write_text(f"# {name} ({machine})\n\n{done.stdout}")


if __name__ == "__main__":
    main()
