"""${message}."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from quintain_host.database import base

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Change the tables to the version before."""
    ${downgrades if downgrades else "pass"}
