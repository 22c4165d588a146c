# Written by scripts/list_parts.py: do not edit.

from quintain.releases.kept_rows import KeptRows as KeptRows
from quintain.releases.numbered import NumberedRelease as NumberedRelease
from quintain.releases.release import Claim as Claim
from quintain.releases.release import ClaimedKinds as ClaimedKinds
from quintain.releases.release import ClaimedModel as ClaimedModel
from quintain.releases.release import Method as Method
from quintain.releases.release import Release as Release
from quintain.releases.release import ReleaseCard as ReleaseCard
from quintain.releases.release import make_claim as make_claim
from quintain.releases.rule import DistinctRows as DistinctRows
from quintain.releases.rule import RowsRule as RowsRule
from quintain.releases.rule import Rule as Rule
from quintain.releases.same_points import SamePoints as SamePoints
from quintain.releases.sanitized import FocalPoint as FocalPoint
from quintain.releases.sanitized import Publication as Publication
from quintain.releases.sanitized import Sanitized as Sanitized
from quintain.releases.sanitized import Trace as Trace
from quintain.releases.sanitized import origins_through as origins_through
from quintain.releases.sanitized import publication as publication
from quintain.releases.sanitized import publish as publish
