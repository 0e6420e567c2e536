# Five commands: setup | check | test | fix | bench. `make demo` and `make test` make their own virtual environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The jobs of the test run; 0 keeps it in one process.
JOBS ?= 2

.PHONY: setup check test proof fix bench demo clean

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

# Slow proofs and measurements; each writes its page of results with the command above every table.
proof: setup
	PYTHON=$(BIN)/python sh benchmarks/page.sh "The published DSTC6 table and ours" "benchmarks/known_answers.py" > docs/results/dstc6.md

fix: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python docs/generate.py

bench: setup
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Speed of the word-overlap metrics" "benchmarks/overlap.py --jar --rounds 5" \
	  "benchmarks/overlap.py --start --rounds 5" "benchmarks/overlap.py --growth" "benchmarks/overlap.py --cores" > docs/results/speed.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Where the time goes" "benchmarks/stages.py" > docs/results/stages.md

demo: $(VENV)/.core
	$(BIN)/dialometer demo

clean:
	rm -rf $(VENV) runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
