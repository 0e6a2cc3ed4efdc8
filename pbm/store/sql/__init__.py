"""The SQL engine of the store: the one package with code that exists for speed.

Repositories write statements in SQLAlchemy's language and run them through `Statement` or
`Transaction.execute`. Three mechanisms below are transparent to them:

- `Statement` compiles SQL once and runs it by the driver itself (`driver`).
- Writes that return nothing are buffered, and go to the database with the next read or the commit.
  On PostgreSQL they share its round trip.
- Rows that a transaction has read are cached until one of their tables is written, or a lock is
  taken. `prefetch` fills this cache with several reads in one round trip; a superfluous read there
  costs a statement, never correctness.
"""
