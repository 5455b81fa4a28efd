"""What a model may do, one file a tool. A tool never asks the user: it returns what it needs to know."""
