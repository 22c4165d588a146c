"""Write the API of a site as the code has it, docs/reference/openapi.json.

python scripts/document.py [FOLDER]
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from quintain_host.site import Site
from quintain_host.web.app import make_app

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference"


def api_file() -> str:
    """The API of a site as OpenAPI, in JSON."""
    with TemporaryDirectory() as place:
        site = Site(Path(place))
        schema = make_app(site).openapi()
        site.close()
    schema["info"]["version"] = "1"  # the API's own, which changes less often than the program's
    return json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> None:
    """Write the file."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    (folder / "openapi.json").write_text(api_file())


if __name__ == "__main__":
    main()
