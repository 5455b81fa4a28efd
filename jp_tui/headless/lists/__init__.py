"""Commands that look something up, or change stored data."""
