# `make run` and `make test` need Python 3.11 or newer and make, nothing else: they create .venv on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CODE := codegen runtime generated_example tests
ENGINES := polars

.PHONY: run test format spelling types imports examples pytest coverage mutation hostile kill conformance docs clean

## build the example contracts and run them on the data in contracts/
run: $(VENV)/.installed
	$(BIN)/etlgen run all

## every check and every test
test: format spelling types imports examples pytest conformance
	@echo "all checks passed"

format: $(VENV)/.developing
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

spelling: $(VENV)/.developing
	$(BIN)/codespell codegen runtime docs contracts README.md CONTRIBUTING.md CHANGELOG.md

types: $(VENV)/.developing
	$(BIN)/mypy --python-version 3.11
	$(BIN)/mypy --python-version 3.14
	$(BIN)/pyright --pythonversion 3.11
	$(BIN)/pyright --pythonversion 3.14

imports: $(VENV)/.developing
	$(BIN)/lint-imports

examples: $(VENV)/.developing
	$(BIN)/etlgen build --check

pytest: $(VENV)/.developing
	$(BIN)/python -m pytest tests

## the tests, and the lines that they run: fails below the figure in pyproject.toml (a quarter of an hour)
coverage: $(VENV)/.developing
	rm -rf build/coverage
	mkdir -p build/coverage
	$(BIN)/python -m coverage run -m pytest tests
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

## how many small faults in the modules of the semantics the tests find (an hour)
mutation: $(VENV)/.developing
	$(BIN)/python -m tests.mutation

## the long profile of tests/hostile: a thousand random contracts, planted code in every place (an hour)
hostile: $(VENV)/.developing
	$(BIN)/python -m tests.hostile

## the long profile of tests/kill: a run killed before every change of a file, and at 300 random moments
kill: $(VENV)/.developing
	$(BIN)/python -m tests.kill

conformance: $(VENV)/.developing
	for engine in $(ENGINES); do $(BIN)/etlgen conformance run conformance --engine $$engine || exit 1; done

## write the generated documentation pages
docs: $(VENV)/.developing
	$(BIN)/python -m tests.docs.write_pages

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "etlgen needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/.installed: pyproject.toml runtime/pyproject.toml | $(VENV)/bin/python
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null
	$(BIN)/python -m pip install --quiet -e './runtime[polars,duckdb]' -e .
	@touch $@

$(VENV)/.developing: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

clean:
	rm -rf $(VENV) data .etlgen build dist
