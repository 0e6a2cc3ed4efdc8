"""Alembic's way in: migrates behind the connection that `pbm.store.migrate` hands over."""

from alembic import context

from pbm.store.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    compare_type=True,
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
