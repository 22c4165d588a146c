"""Report: the results of an edition as one page that anybody can open, print and pass on.

The page is a single file without scripts and without requests, and a pure function of the folder:
``verify`` makes it again and compares bytes. ``section`` collects the facts about a track, ``maps``
draws places, ``page`` writes the file. The text is in the templates, the drawings are in
``quintain.figures``, the sentences about events in ``quintain.runs.story``.
"""

from quintain.runs.report.maps import track_maps
from quintain.runs.report.page import page_templates, report_bytes
from quintain.runs.report.section import RunFacts, run_facts

__all__ = [
    "RunFacts",
    "page_templates",
    "report_bytes",
    "run_facts",
    "track_maps",
]
