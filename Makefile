# Every target works on a new machine with Python 3.11 or later and make; `make help` lists them.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
JOBS ?= 2
FUZZ_SECONDS ?= 60
# another version of scikit-learn for "make clients", such as 1.7.2, in an environment of its own
SKLEARN ?=
CLIENTS = $(VENV)-clients$(addprefix -,$(SKLEARN))
# file by file, so that what a file fits, and mostly what it compiles, is fitted and compiled in one process only
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist loadfile -q
# kernels against their twins, for a run without the compiler
TWINS = tests/covering/test_kernels.py tests/covering/test_thresholds.py tests/covering/test_balls.py tests/covering/test_soft.py tests/halfspaces tests/lists/test_rule_lists.py tests/genomics/test_building.py \
	-k "test_kernels or twin or best_of_all"
# an environment of the lowest versions that pyproject.toml allows, and what is tried there
LOWEST = $(VENV)-lowest
TRIED = $(addprefix tests/,test_table.py datasets report plotting model_files export genomics/test_command.py clusters/test_dask.py) \
	$(addprefix tests/cli/test_,cli.py tables.py predict.py packed.py) \
	$(addprefix tests/covering/test_,kernels.py thresholds.py any_table.py sklearn_checks.py) \
	$(addprefix tests/halfspaces/test_,intersection.py at_once.py separation.py sklearn_checks.py) \
	$(addprefix tests/,minimal/test_programme.py minimal/test_estimators.py lists/test_rule_lists.py scorecards/test_scorecards.py)

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lowest lint bench growth tightness compare-peers papers dask-check simulation clients fuzz mutants report-check docs dist card export-check export-pmml export-orbital clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Two environments' worth of stamps: what a user installs, and what a developer adds.
$(VENV)/.user: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[cli]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/.user

$(VENV)/.docs: $(VENV)/.dev
	$(INSTALL) --editable '.[docs]'
	@touch $@

demo: $(VENV)/.user ## Fit the Wisconsin breast cancer table, show rules and certificate, compare with others
	@$(BIN)/laconic fit breast_cancer_wisconsin
	@echo
	@$(BIN)/laconic compare breast_cancer_wisconsin

test: lint ## Run everything that must pass (six minutes on two cores)
	$(PYTEST) -m "not slow"
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not slow" $(TWINS)

test-all: lint ## The same with every product of parameters in full
	$(PYTEST)
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(TWINS)

$(LOWEST)/.dev: pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable '.[dev]'
	@touch $@

lowest: $(LOWEST)/.dev ## Run a quick form of the tests with the lowest versions of all libraries; PYTHON must be 3.11
	NUMBA_CACHE_DIR=$(abspath $(LOWEST))/numba $(LOWEST)/bin/python -m pytest -n $(JOBS) --dist loadfile -q -m "not slow" \
		-W ignore::DeprecationWarning $(TRIED)

lint: $(VENV)/.dev ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: $(VENV)/.dev ## Measure speed against peers; writes CSV files to benchmarks/results
	$(BIN)/python benchmarks/bench_stumps.py
	$(BIN)/python benchmarks/bench_disk.py 100000000 4GiB
	$(BIN)/python benchmarks/bench_dask.py
	$(BIN)/python benchmarks/bench_balls.py
	$(BIN)/python benchmarks/bench_balls_disk.py
	$(BIN)/python benchmarks/bench_soft.py
	$(BIN)/python benchmarks/bench_perceptron.py
	$(BIN)/python benchmarks/bench_halfspaces.py
	$(BIN)/python benchmarks/bench_minimal.py
	$(BIN)/python -m benchmarks.bench_watch
	$(BIN)/python benchmarks/bench_packed.py
	$(BIN)/python benchmarks/bench_scale.py
	$(BIN)/python benchmarks/bench_export.py

export-check: $(VENV)/.dev ## Compare exported models with predict on a million rows each: DuckDB, SQLite, onnxruntime, Python
	$(BIN)/python -m tests.export.check million

export-pmml: $(VENV)/.dev ## Compare exported PMML with predict in jpmml-evaluator; needs Java (Debian: default-jre-headless)
	$(BIN)/python -m tests.export.check pmml

export-orbital: $(VENV)/.dev ## Let orbital translate exported lists to SQL, in an environment of its own
	$(BIN)/python -m tests.export.check orbital

growth: $(VENV)/.dev ## Measure how every learner grows in rows and columns; writes a CSV file (hours on two cores)
	$(BIN)/python benchmarks/bench_growth.py

papers: $(VENV)/.dev ## Run every table and figure of the papers in full; writes reproductions/results (half an hour to two hours on two cores)
	$(BIN)/python -m reproductions all --full --jobs $(JOBS)

dask-check: $(VENV)/.dev ## Fit on clusters of real processes, also such as lose workers and schedulers
	$(BIN)/python -m pytest -q tests/clusters

simulation: $(VENV)/.dev ## Simulate how often certificates hold, in full; writes a CSV file
	$(BIN)/python -m tests.simulation --jobs $(JOBS)

$(CLIENTS)/.ready: pyproject.toml constraints.txt tests/clients/requirements.txt
	$(PYTHON) -m venv $(CLIENTS)
	sed 's/^scikit-learn==.*/$(if $(SKLEARN),scikit-learn==$(SKLEARN),&)/' constraints.txt > $(CLIENTS)/constraints.txt
	$(CLIENTS)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(CLIENTS)/constraints.txt \
		--editable '.[dev]' --requirement tests/clients/requirements.txt
	@touch $@

clients: $(CLIENTS)/.ready ## Try every estimator with other people's software (Postgres must be there), and print what works
	$(CLIENTS)/bin/python -m tests.clients -n $(JOBS)

fuzz: $(VENV)/.dev ## Try to break estimators with odd tables and laconic.load with spoilt files, FUZZ_SECONDS (60) each
	$(BIN)/python -m tests.fuzz.fuzz_estimators --seconds $(FUZZ_SECONDS) --jobs $(JOBS)
	@$(INSTALL) atheris 2>/dev/null || echo "atheris has no wheel for this Python: spoilt files are tried at random"
	$(BIN)/python -m tests.fuzz.fuzz_model_file --seconds $(FUZZ_SECONDS)

mutants: $(VENV)/.dev ## Spoil the certificates in many ways and show which test notices
	$(BIN)/python -m tests.mutants --jobs $(JOBS)

tightness: $(VENV)/.dev ## Compare certificates with hold-out bounds and the paper's; writes a CSV file
	$(BIN)/python benchmarks/bench_tightness.py
	$(BIN)/python -m benchmarks.bench_promises tightness
	$(BIN)/python -m benchmarks.bench_promises mapie

compare-peers: $(VENV)/.dev ## Compare with other learners on tables of public packages; writes CSV files and a picture (hours)
	$(BIN)/python -m benchmarks.peers --jobs $(JOBS)

report-check: $(VENV)/.dev ## Look at reports in Chromium: light, dark, phone, print, no script; axe-core and the keyboard
	npm install --silent --no-audit --no-fund --prefix $(VENV)/browser playwright-core@1.65.1 axe-core@4.14.0
	$(BIN)/python -m tests.browser --modules $(VENV)/browser --out $(VENV)/browser/shots

docs: $(VENV)/.docs ## Build the site, without the network; warnings are errors, internal links are checked, pages run
	rm -rf build/docs docs/api docs/gallery docs/record  # written anew, so that nothing of an older version is left
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	$(BIN)/python -m tests.site build/docs
	$(PYTEST) tests/test_pages.py
	@echo "The site is in build/docs/index.html"

dist: $(VENV)/.dev ## Build wheel and sdist, use each in an empty environment, and run README and pages as a newcomer would
	rm -rf dist
	$(INSTALL) build
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m tests.dist dist

card: $(VENV)/.dev ## Take the pictures of a model and of a report that the documentation shows, with Chromium
	$(BIN)/python docs/make_card.py

clean: ## Remove the environment and caches
	rm -rf $(VENV) $(LOWEST) $(VENV)-clients* .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
