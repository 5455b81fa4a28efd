"""A conversation that is open, sub-agents' conversations, and answers from elsewhere."""
