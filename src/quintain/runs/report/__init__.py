"""Report: the results of an edition as one page that anybody can open, print and pass on.

The page is a single file without scripts and without requests, and a pure function of the results:
``verify`` makes it again and compares bytes. One module a figure (``heat_map``, ``trade_off``,
``interval_bar``), one for the page; the words stand in ``report.html.j2``.
"""

from quintain.runs.report.page import report_bytes

__all__ = ["report_bytes"]
