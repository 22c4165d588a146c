"""Compare the first and the last backup of a site, whose rows and files must be the same."""

import json
import sys
import zipfile
from pathlib import Path

first, *_, again = sorted(Path("/var/backups/quintain").glob("*.zip"))
before, after = (json.loads(zipfile.ZipFile(one).read("manifest.json")) for one in (first, again))
for kind in ("files", "tables"):
    names = sorted(before[kind].keys() | after[kind].keys())
    other = [name for name in names if before[kind].get(name) != after[kind].get(name)]
    assert not other, f"{kind} that are not the same: {other}"
    sys.stdout.write(f"the same after the restore: {len(names)} {kind}\n")
