"""Report of an audit: one page that anybody can open, print and pass on.

The first page is for data officers: the verdict, what it means, whom it can touch. The rest is for
statisticians. The page is a single file without scripts and without requests, and a pure function
of the audit. ``words`` has the words, ``risk_view``, ``settings_view`` and ``tiles`` choose what is
shown, ``page`` writes the file, ``notebook`` a short view, and ``dossier`` ties the readings to
what regulators ask.
"""

from quintain.audits.report.dossier.dossier import make_dossier
from quintain.audits.report.dossier.page import dossier_page
from quintain.audits.report.notebook import notebook_view
from quintain.audits.report.page import release_page, sanitizer_page

__all__ = ["dossier_page", "make_dossier", "notebook_view", "release_page", "sanitizer_page"]
