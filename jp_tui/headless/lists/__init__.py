"""Commands that look something up, or change what is stored."""
