"""Check a submission, and score it beside the truth.

    python3 score.py                     as CodaBench runs it, in the folder /app
    python3 score.py --check answers     checks a folder or a zip; needs no truth

It needs Python 3.7 or later and nothing else. The file plan.json beside it says which files a
submission has, what they contain, and which columns the scores go into.
"""

from __future__ import annotations

import json
import os
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

from quintain.kit.codabench.program.artefacts import take_artefacts
from quintain.kit.codabench.program.faults import Faults, OrganisersFault

SHOWN = 20
ONLY_PLAIN = "only plain files in the root of the zip are accepted"
TELL = "this is not your fault: please tell the organisers"


def main(arguments: list[str]) -> int:
    """Check or score; the exit code is 0 if the submission is complete and valid."""
    plan = json.loads((Path(__file__).resolve().parent / "plan.json").read_text("utf-8"))
    root = Path(os.environ.get("QUINTAIN_APP_ROOT", "/app"))
    check_only = arguments[:1] == ["--check"] and len(arguments) == 2
    if arguments and not check_only:
        sys.stderr.write("usage: python3 score.py [--check FOLDER-OR-ZIP]\n")
        return 2
    faults, judge = Faults(), program_part(plan["judge"])
    files = read_files(Path(arguments[1]) if check_only else root / "input" / "res", plan, faults)
    submitted = judge.read(take_artefacts(files, plan, faults), plan, faults)
    if faults.total:
        sys.stderr.write("\n".join(["NOT scored:", *faults.first(SHOWN)]) + "\n")
        return 1
    if check_only:
        sys.stdout.write(f"{judge.described(submitted)}, complete and valid\n")
        return 0
    try:
        scores = judge.score(submitted, plan, root)
    except (OrganisersFault, OSError) as problem:
        sys.stderr.write(f"NOT scored: {problem or type(problem).__name__}; {TELL}\n")
        return 3
    text = json.dumps(scores, sort_keys=True, indent=2, allow_nan=False) + "\n"
    (root / "output" / "scores.json").write_text(text, "utf-8")
    sys.stdout.write(f"scored {judge.described(submitted)}\n")
    return 0


def program_part(name: str) -> Any:
    """A module beside this one that the plan names."""
    return import_module(f"{__package__}.{name}" if __package__ else name)


def read_files(place: Path, plan: dict[str, Any], faults: Faults) -> dict[str, bytes]:
    """The submitted files, by name. Links are refused, because one could lead to the truth."""
    contents = {}
    limit = plan["form"]["file_bytes"]
    if place.is_dir():
        for path in sorted(place.iterdir()):
            if path.name.startswith((".", "__MACOSX")):
                continue
            if path.is_symlink() or not path.is_file():
                faults.add(path.name, ONLY_PLAIN)
                continue
            with path.open("rb") as file:
                contents[path.name] = file.read(limit + 1)
    else:
        try:
            with zipfile.ZipFile(str(place)) as archive:
                for name in archive.namelist():
                    if name.startswith((".", "__MACOSX")):
                        continue
                    if "/" in name:
                        faults.add(name, ONLY_PLAIN)
                        continue
                    with archive.open(name) as member:
                        contents[name] = member.read(limit + 1)
        except (OSError, RuntimeError, zipfile.BadZipFile):
            faults.add(str(place), "is neither a folder nor a readable zip")
    for name in [name for name in contents if len(contents[name]) > limit]:
        faults.add(name, f"is too large; the limit is {limit} bytes")
        del contents[name]
    return contents


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
