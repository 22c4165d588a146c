"""Tables: importing this module makes every table known to the database's metadata."""

from __future__ import annotations

from quintain_host.database.base import JOURNAL, Base
from quintain_host.database.contests import (
    CustomPage,
    Description,
    DraftFile,
    HostedEdition,
    Insider,
    Member,
    News,
    Organiser,
    Picture,
    RegisteredTeam,
    Rejudging,
)
from quintain_host.database.notices import Contact, Letter, Notice, TeamQuestion
from quintain_host.database.people import (
    Account,
    Link,
    LinkedSignOn,
    SignIn,
    SignOnAttempt,
    Token,
)
from quintain_host.database.sharing import RateBucket, SharedFile, SiteClaim
from quintain_host.database.work import LogLine, QueuedJob, Upload, WorkerRow

__all__ = [
    "JOURNAL",
    "Account",
    "Base",
    "Contact",
    "CustomPage",
    "Description",
    "DraftFile",
    "HostedEdition",
    "Insider",
    "Letter",
    "Link",
    "LinkedSignOn",
    "LogLine",
    "Member",
    "News",
    "Notice",
    "Organiser",
    "Picture",
    "QueuedJob",
    "RateBucket",
    "RegisteredTeam",
    "Rejudging",
    "SharedFile",
    "SignIn",
    "SignOnAttempt",
    "SiteClaim",
    "TeamQuestion",
    "Token",
    "Upload",
    "WorkerRow",
]
