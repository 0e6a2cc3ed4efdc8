"""The SQL engine of the store: the one package with code that exists for speed.

Repositories write statements in SQLAlchemy's language and run them through `Statement` or
`Transaction.execute`. They need not know of three mechanisms:

- `Statement` compiles SQL once and runs it by the driver itself (`driver`).
- Writes that return nothing are buffered. They go to the database with the next read or the commit,
  on PostgreSQL in the same round trip.
- Rows that a transaction has read are cached until one of their tables is written, or a lock is
  taken. `prefetch` fills this cache by several queries in one round trip. It may read more than is
  needed.
"""
