"""SQLite log: append, read by number, migrate, drafts. It never interprets a payload."""
