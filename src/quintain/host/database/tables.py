"""Tables: importing this module makes every table known to the database's metadata."""

from __future__ import annotations

from quintain.host.database.base import JOURNAL, Base
from quintain.host.database.contests import (
    Description,
    DraftFile,
    HostedEdition,
    Insider,
    Member,
    News,
    Organiser,
    OwnPage,
    Picture,
    RegisteredTeam,
    Rejudging,
)
from quintain.host.database.notices import Contact, Letter, Notice, TeamQuestion
from quintain.host.database.people import (
    Account,
    Link,
    LinkedSignOn,
    SignIn,
    SignOnAttempt,
    Token,
)
from quintain.host.database.sharing import RateBucket, SharedFile, SiteClaim
from quintain.host.database.work import LogLine, QueuedJob, Upload, WorkerRow

__all__ = [
    "JOURNAL",
    "Account",
    "Base",
    "Contact",
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
    "OwnPage",
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
