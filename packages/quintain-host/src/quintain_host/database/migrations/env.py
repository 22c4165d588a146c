"""How Alembic runs the steps: in the transaction of the caller."""

from __future__ import annotations

from alembic import context

from quintain_host.database.tables import Base


def run() -> None:
    """Run the steps on the connection that the caller has."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=Base.metadata,
        render_as_batch=True,
        compare_type=True,
        user_module_prefix="base.",
        transaction_per_migration=False,
    )
    context.run_migrations()


if hasattr(context, "_proxy") and context._proxy is not None:  # not when a test imports this module
    run()
