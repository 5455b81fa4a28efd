"""The log of a conversation, and what is derived from it."""
