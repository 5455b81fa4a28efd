"""The SQLite log: append, read from a number, migrate, drafts. Never interprets a payload."""
