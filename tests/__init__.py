"""The tests mirror the rooms; `house/` checks the building itself, `bench/` measures (`python -m tests.bench`)."""
