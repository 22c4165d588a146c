"""Run every quick benchmark, or those that you name, each in its own process.

    python -m benchmarks.run [NAME ...]

A benchmark is a module that runs quintain beside other programs and prints a Markdown
table. Its name is ``folder.module``. The tables are printed, and kept in ``benchmarks/results``.
"""

import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SLOW = {
    "audit.games.shadow",
    "audit.games.sanitizer_validity",
    "audit.blind_truth_table",
    "audit.contests",
    "audit.manifest",
    "audit.validity",
    "amic.players",
    "darc.big",
    "darc.readings",
    "amic.tracing",
    "feedback.label_recovery",
    "hide_and_seek.averages",
    "hide_and_seek.frontier",
    "hide_and_seek.gpu",
    "hide_and_seek.neural",
    "hide_and_seek.seekers",
    "host.faults",
    "host.half_open",
    "host.load",
    "host.sign_on",
    "host.sign_up_times",
    "live.honest",
    "live.kill",
    "live.many_submissions",
    "manifest",
    "models.diffusion",
    "models.membership",
    "snake.attacks",
    "snake.network_share",
    "snake.repeats",
    "synthesizers.big",
    "synthesizers.deep_generators",
}
"""These take many minutes, or need a GPU or node, and run only if you name them."""


def names() -> list[str]:
    """Every module that can be started, except this one and folders that are commands."""
    paths = [path for path in HERE.rglob("*.py") if "\n    main()\n" in path.read_text()]
    modules = [path.relative_to(HERE).with_suffix("").parts for path in paths]
    return sorted(".".join(p) for p in modules if p != ("run",) and p[-1] != "__main__")


def main() -> None:
    """Run the benchmarks and keep their tables."""
    known = names()
    chosen = sys.argv[1:] or [name for name in known if name not in SLOW]
    unknown = sorted(set(chosen) - set(known))
    if unknown:
        sys.exit(f"unknown benchmark {unknown[0]!r}; available: {', '.join(known)}")
    (HERE / "results").mkdir(exist_ok=True)
    for name in chosen:
        print(f"## {name}\n", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}"]
        done = subprocess.run(
            command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=True
        )
        print(done.stdout, flush=True)
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        (HERE / "results" / f"{name}.md").write_text(f"# {name} ({machine})\n\n{done.stdout}")


if __name__ == "__main__":
    main()
