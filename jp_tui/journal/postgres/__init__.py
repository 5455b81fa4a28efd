"""The journal on a PostgreSQL server (store.md). Loaded only where a store is named."""
