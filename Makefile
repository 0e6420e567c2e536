# Five commands: setup | check | test | fix | bench. `make demo` and `make test` make their own virtual environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The jobs of the test run; 0 keeps it in one process.
JOBS ?= 2

.PHONY: setup check test proof fix bench demo docs clean

setup: $(VENV)/.dev

$(VENV)/.core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[demo]"
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

test: setup
	$(BIN)/pytest -n $(JOBS) --dist worksteal

proof: setup
	$(BIN)/python benchmarks/known_answers.py

fix: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python docs/generate.py

bench: setup
	$(BIN)/python benchmarks/overlap.py
	$(BIN)/python benchmarks/overlap.py --start
	$(BIN)/python benchmarks/overlap.py --growth

demo: $(VENV)/.core
	$(BIN)/dialometer demo

clean:
	rm -rf $(VENV) runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
