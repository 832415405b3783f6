# make run: set up and start the product · make test: set up and run the tests · make check: format, lint, types, layers
# make bench: measure speed · make lock: renew the pinned versions · make clean: remove what set-up made (never the data)
PYTHON ?= python3
PORT ?= 8000
HOST ?= 127.0.0.1
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PROJECT := $(VENV)/.project
VENDOR := webapp/static/vendor/.copied
LOG := $(VENV)/install.log
PIP := $(BIN)/python -m pip --disable-pip-version-check
CHECK_ENV := SECRET_KEY=only-for-the-checks-0123456789-0123456789-0123456789 FX_DATA_DIR=$(VENV) FX_HTTPS=1

.PHONY: run test check check-format check-lint check-types check-layers check-django bench lock setup clean

run: setup
	@exec $(BIN)/python manage.py serve --host $(HOST) --port $(PORT)

setup: $(STAMP) $(PROJECT) $(VENDOR)

$(STAMP): requirements.txt
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) here: install Python 3.11 or newer, or name yours: make run PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$$($(PYTHON) --version) is too old: Python 3.11 or newer is needed. Name another one: make run PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "This Python lacks venv: install it (Debian: apt install python3-venv)"; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { echo "Creating the virtual environment"; $(PYTHON) -m venv --clear $(VENV); }
	@echo "Installing the pinned packages (once, about a minute)"
	@$(PIP) install --require-hashes -r requirements.txt >$(LOG) 2>&1 || { cat $(LOG); exit 1; }
	@touch $@

$(PROJECT): $(STAMP) pyproject.toml
	@$(PIP) install --no-deps --no-build-isolation -e . >$(LOG) 2>&1 || { cat $(LOG); exit 1; }
	@touch $@

$(VENDOR): $(STAMP) package.json package-lock.json scripts/copy_front_end.py
	@echo "Installing the front-end files"
	@$(BIN)/npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >$(LOG) 2>&1 || { cat $(LOG); exit 1; }
	@$(BIN)/python scripts/copy_front_end.py
	@touch $@

test: setup
	@$(BIN)/python -m pytest -q -rs -n 2 --dist loadscope $(ARGS)

check: check-format check-lint check-types check-layers check-django

check-format: setup
	$(BIN)/ruff format --check --output-format concise .

check-lint: setup
	$(BIN)/ruff check --output-format concise .

check-types: setup
	$(CHECK_ENV) $(BIN)/mypy

check-layers: setup
	$(BIN)/lint-imports

check-django: setup
	$(CHECK_ENV) $(BIN)/python manage.py makemigrations --check --dry-run
	$(CHECK_ENV) $(BIN)/python manage.py check --deploy --fail-level WARNING

bench: setup
	@$(BIN)/python -m tests.benchmarks $(ARGS)

lock: $(STAMP)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate --all-extras pyproject.toml -c constraints.txt -o requirements.txt
	$(BIN)/npm install --package-lock-only --ignore-scripts --no-audit --no-fund

clean:
	rm -rf $(VENV) node_modules webapp/static/vendor
