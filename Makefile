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
	@echo "Installing Dialometer and what its demo needs, PyTorch too, into $(VENV): some minutes, once."
	$(BIN)/python -m pip install --disable-pip-version-check -e ".[demo]"
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check
	$(BIN)/python benchmarks/house.py

# One thread per job: threads of two jobs that wait for each other's cores take several times as long.
test: setup
	OMP_NUM_THREADS=1 $(BIN)/pytest -n $(JOBS) --dist worksteal

# Slow proofs and measurements; each writes its page of results with the command above every table. GLOVE names a GloVe text
# file, if there is one, to compare the embedding metrics with the published columns.
GLOVE ?=
# Each job of the fuzz may take 4 GB.
FUZZ_JOBS ?= 2
proof: setup
	PYTHON=$(BIN)/python sh benchmarks/page.sh "The published DSTC6 table and ours" "benchmarks/known_answers.py" > docs/results/dstc6.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "AM-FM on DSTC6" "benchmarks/amfm_dstc6.py docs/results/amfm" > docs/results/amfm.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Sentence level: metrics and people" "benchmarks/sentence_level.py docs/results/sentence-level" > docs/results/sentence-level.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Embedding metrics and the published DSTC6 columns" "benchmarks/embedding_dstc6.py" \
	  $(if $(GLOVE),"benchmarks/embedding_dstc6.py --vectors glove(path=$(GLOVE))") > docs/results/embedding-dstc6.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Metrics beside people" "benchmarks/trust.py --table1" "benchmarks/trust.py usr_topicalchat" \
	  "benchmarks/trust.py dstc7_task2" "benchmarks/trust.py zhao_dailydialog" "benchmarks/trust.py ji2022_free_run1" \
	  "benchmarks/trust.py --references" "benchmarks/trust.py --stress" > docs/results/trust.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Finding the next utterance" "benchmarks/retrieval.py" > docs/results/retrieval.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Emotion against VADER and shuffled emojis" "benchmarks/emotion.py" > docs/results/emotion.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "The papers' bots on DailyDialog" "benchmarks/quality_bots.py" > docs/results/bots.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Judges beside people" "benchmarks/quality_judges.py adem" "benchmarks/quality_judges.py autojudge" \
	  "benchmarks/quality_judges.py beyond" "benchmarks/quality_judges.py negatives" "benchmarks/quality_judges.py transfer" \
	  "benchmarks/quality_raw.py" "benchmarks/quality_votes.py" > docs/results/judges.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "A judge as reward" "benchmarks/reward.py --picture docs/results/reward.png" > docs/results/reward.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Conversations beside people" "benchmarks/quality_conversations.py bots" \
	  "benchmarks/quality_conversations.py models" "benchmarks/quality_conversations.py features" \
	  "benchmarks/quality_conversations.py turns --pictures docs/results/conversations" \
	  "benchmarks/quality_conversations.py across" "benchmarks/quality_conversations.py votes" > docs/results/conversations.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Re-ranking, end to end" "benchmarks/rerank.py" > docs/results/rerank.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Ten thousand hostile command lines" "-m tests.fuzz --cases 10000 --jobs $(FUZZ_JOBS)" > docs/results/fuzz.md

fix: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python docs/generate.py

bench: setup
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Speed of the word-overlap metrics" "benchmarks/overlap.py --jar --rounds 5" \
	  "benchmarks/overlap.py --start --rounds 5" "benchmarks/overlap.py --growth" "benchmarks/overlap.py --cores" > docs/results/speed.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Where the time goes" "benchmarks/stages.py" > docs/results/stages.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Speed of the metrics of meaning" "benchmarks/embedding.py --rounds 5" \
	  "benchmarks/embedding.py --growth" "benchmarks/embedding.py --cores" "benchmarks/embedding.py --minilm" \
	  "benchmarks/embedding.py --lm" > docs/results/speed-meaning.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Speed of the statistics" "benchmarks/meta.py" "benchmarks/raters.py" > docs/results/speed-trust.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Speed of the bots" "benchmarks/bots.py --training" "benchmarks/bots.py --generation" \
	  "benchmarks/bots.py --play" "benchmarks/serve.py" "benchmarks/retrieval_bots.py" > docs/results/speed-bots.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Speed of conversations" "benchmarks/dialogue.py" > docs/results/speed-conversations.md
	PYTHON=$(BIN)/python sh benchmarks/page.sh "Speed of the judges" "benchmarks/judges.py" \
	  "benchmarks/judges_scoring.py" > docs/results/speed-judges.md

demo: $(VENV)/.core
	$(BIN)/dialometer demo

clean:
	rm -rf $(VENV) runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
