# make run    set up, then start five real processes and open the page on them; where there is no terminal, for ten seconds
# make test   set up, check style and types, run every test
# make bench  measure against others, side by side; writes docs/bench-*.md and .svg
# make soak   the property tests, for much longer

PYTHON ?= python3
BIN := .venv/bin
SOURCES := pyproject.toml setup.py $(shell find src -type f -not -name '*.pyc')
PIP := $(BIN)/pip install --quiet --disable-pip-version-check

.PHONY: run test lint namespaces browser bench soak clean

run: .venv/run
	@if [ -t 1 ]; then $(BIN)/habemus up; else $(BIN)/habemus up --for 10; fi

test: lint namespaces browser
	$(BIN)/python -m pytest -n 2

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Partitions are tried between network namespaces, which `ip` makes.
namespaces:
	@command -v ip > /dev/null || { apt-get update --quiet && apt-get install --yes --quiet iproute2; } || { echo "The tests need iproute2: install it and call make again."; exit 1; }

# The page is tried in Debian's browser.
browser:
	@command -v chromium > /dev/null || { apt-get update --quiet && apt-get install --yes --quiet chromium; } || { echo "The tests need chromium: install it and call make again."; exit 1; }

bench: .venv-bench/ready
	.venv-bench/bin/python bench/simulation.py
	.venv-bench/bin/python bench/elections.py
	.venv-bench/bin/python bench/checking.py
	.venv-bench/bin/python bench/round_trips.py
	.venv-bench/bin/python bench/idle.py
	.venv-bench/bin/python bench/failover.py

soak: .venv/dev namespaces browser
	HABEMUS_CROWD=100 HABEMUS_PARTITIONS=50 HABEMUS_STREAMS=2500 HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -n 2

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Habemus needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/run: .venv/bin/python $(SOURCES)
	@echo "Setting up Habemus in .venv (two or three minutes, once) ..."
	@rm -rf build/lib*
	@$(PIP) .
	@touch $@

.venv/dev: .venv/bin/python $(SOURCES)
	@rm -rf build/lib*
	$(PIP) '.[dev]'
	@touch $@ .venv/run

# The rivals pin old versions of what Habemus uses, so they get an environment of their own.
.venv-bench/ready: $(SOURCES)
	@$(PYTHON) -m venv .venv-bench
	@rm -rf build/lib*
	@.venv-bench/bin/pip install --quiet --disable-pip-version-check '.[bench]'
	@touch $@

clean:
	rm -rf .venv .venv-bench build
