"""Site: what CodaBench shows and runs for some phases of a contest, before it is packed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quintain.kit.codabench.logo import logo_png
from quintain.kit.codabench.yaml.document import CONFIG, require_yaml


@dataclass(frozen=True, slots=True)
class CodabenchSite:
    """The files of a bundle, by their purpose.

    Parameters
    ----------
    config : the content of ``competition.yaml``.
    program : the scoring program.
    starting_kit : what participants start from.
    pages : what visitors read.
    note : what the organisers read, in ORGANISERS.md.
    reference : the truth, or one half of it; none for a release phase.
    """

    config: dict[str, Any]
    program: Mapping[str, bytes]
    starting_kit: Mapping[str, bytes]
    pages: Mapping[str, bytes]
    note: bytes
    reference: Mapping[str, bytes] = field(default_factory=dict)

    def files(self, public: Mapping[str, bytes], warning: bytes) -> dict[str, bytes]:
        """The files of the bundle; ``warning`` is the first thing that people read."""
        kit = dict(self.starting_kit)
        kit["README.md"] = warning + kit["README.md"]
        return {
            CONFIG: _yaml(self.config),
            "logo.png": logo_png(),
            "ORGANISERS.md": warning + self.note,
            "scoring_program/metadata.yaml": b"command: python3 score.py\n",
            **self.pages,
            **{f"public_data/{name}": content for name, content in public.items()},
            **{f"starting_kit/{name}": content for name, content in kit.items()},
            **{f"scoring_program/{name}": content for name, content in self.program.items()},
            **{f"reference_data/{name}": content for name, content in self.reference.items()},
        }


def _yaml(config: object) -> bytes:
    """The competition file as YAML, with quotes around strings that look like times."""
    text: str = require_yaml().safe_dump(config, sort_keys=False, allow_unicode=True, width=100)
    return text.encode()
