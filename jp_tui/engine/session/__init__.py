"""Open conversations, sub-agents' conversations, and answers from other places."""
