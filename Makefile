# make run       set up, then start five real processes and open the page on them; where there is no terminal, for ten seconds
# make test      set up, check style and types, run every test; TESTS=tests/election runs some
# make test-all  the same under Python 3.11, 3.12 and 3.13, as far as they are on this machine
# make bench     measure against others, side by side; writes docs/bench-*.md and .svg
# make soak      the property tests and the attack on real nodes, for much longer

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
TESTS ?=
WORKERS := -n 2 --dist worksteal  # each begins with whole files, so that what a file sets up is set up once
SOURCES := pyproject.toml setup.py $(shell find src -type f -not -name '*.pyc')
PIP := $(BIN)/pip install --quiet --disable-pip-version-check

.PHONY: run test test-all lint namespaces browser database bench soak clean

run: $(VENV)/run
	@if [ -t 1 ]; then $(BIN)/habemus up; else $(BIN)/habemus up --for 10; fi

test: lint namespaces browser database
	$(BIN)/python -m pytest $(WORKERS) $(TESTS)

test-all:
	@.ci/test-all

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Partitions are tried between network namespaces, which `ip` makes.
namespaces:
	@command -v ip > /dev/null || { apt-get update --quiet && apt-get install --yes --quiet iproute2; } || { echo "The tests need iproute2: install it and call make again."; exit 1; }

# The page is tried in Debian's browser.
browser:
	@command -v chromium > /dev/null || { apt-get update --quiet && apt-get install --yes --quiet chromium; } || { echo "The tests need chromium: install it and call make again."; exit 1; }

# Fencing is tried in a real PostgreSQL; Debian keeps its programs off the path.
database:
	@ls /usr/lib/postgresql/*/bin/postgres > /dev/null 2>&1 || command -v postgres > /dev/null || { apt-get update --quiet && apt-get install --yes --quiet postgresql; } || { echo "The tests need PostgreSQL: install it and call make again."; exit 1; }

bench: .venv-bench/ready
	.venv-bench/bin/python bench/simulation.py
	.venv-bench/bin/python bench/recording.py
	.venv-bench/bin/python bench/startup.py
	.venv-bench/bin/python bench/elections.py
	.venv-bench/bin/python bench/checking.py
	.venv-bench/bin/python bench/round_trips.py
	.venv-bench/bin/python bench/idle.py
	.venv-bench/bin/python bench/failover.py
	.venv-bench/bin/python bench/locks.py

soak: $(VENV)/dev namespaces browser database
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest $(WORKERS)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Habemus needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run: $(VENV)/bin/python $(SOURCES)
	@echo "Setting up Habemus in $(VENV) (about five minutes, once) ..."
	@rm -rf build/lib*
	@$(PIP) '.[all]'
	@touch $@

$(VENV)/dev: $(VENV)/bin/python $(SOURCES)
	@rm -rf build/lib*
	$(PIP) '.[dev]'
	@touch $@ $(VENV)/run

# The rivals pin old versions of what Habemus uses, so they get an environment of their own.
.venv-bench/ready: $(SOURCES)
	@$(PYTHON) -m venv .venv-bench
	@rm -rf build/lib*
	@.venv-bench/bin/pip install --quiet --disable-pip-version-check '.[all,bench]'
	@touch $@

clean:
	rm -rf .venv .venv-* build
