"""Tools for the model, one module each. A tool never asks the user: it returns the question it needs answered."""
