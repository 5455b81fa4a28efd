"""A mutation sampler: change one place of the program, and see whether a test notices (`python -m tests.mutants`)."""
