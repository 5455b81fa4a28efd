# `make check` is the one verb: the same as in CI.
.PHONY: check quick format bench pictures

check:
	.ci/run

quick:
	.ci/run quick

format:
	.venv-test/bin/ruff check --fix .
	.venv-test/bin/ruff format .

pictures:
	.venv-test/bin/python -m tests.pictures

bench:
	.venv-test/bin/python -m tests.bench
