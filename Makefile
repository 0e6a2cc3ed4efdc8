# `make` lists the targets. A target's text is what follows ## on its line.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

PY := .venv/bin/python
READY := .venv/.ready
# The compiled core of the search, where there is a C compiler; without one all works, more slowly.
CORE := pbm/rules/abalone/engine/_core.lib
# Which tests or benchmarks, such as: make test ARGS="tests/rules -k bowl", make bench ARGS=rules.
# Tests that are named run whether `make test` alone would run them or `make test-all`.
ARGS ?=
# Of: make torture, the random games, the kills on each store and the turns of the season
GAMES ?= 3000
KILLS ?= 200
TURNS ?= 10000
# One store alone, sqlite or postgresql
STORE ?=
# How long: make fuzz, and what of it, such as: make fuzz TARGETS="moves states"
SECONDS ?= 300
TARGETS ?=
# Another Python to make .venv with, such as: make run PYTHON=python3.12
export PYTHON
# Each worker and each program that a test starts would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## lists these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: run
run: $(READY) ## starts the server on its defaults: 127.0.0.1:8025, pages on 127.0.0.1:8080, all under var/
	@exec .venv/bin/pbm serve --pages

# Half as many again as processors: servers and databases of tests are waited for, but each worker
# collects all tests, and starts servers of its own.
WORKERS ?= $(shell n=$$(( ($$(nproc) * 3 + 1) / 2 )); echo $$(( n > 8 ? 8 : n )))
PYTEST = $(PY) -m pytest -n $(WORKERS) --dist worksteal

.PHONY: test
test: deps $(READY) $(CORE) ## runs the tests, in some minutes; ARGS="tests/rules -k bowl" runs whatever it names
	$(PYTEST) $(or $(ARGS),-m "not thorough")

.PHONY: test-all
test-all: deps $(READY) $(CORE) ## runs the rest of them, in half an hour; of ARGS="tests/rules" what is of the rest
	$(PYTEST) -m "thorough and not alike" $(ARGS)

.PHONY: torture
torture: deps $(READY) $(CORE) ## random games, servers killed, a smarthost that fails; GAMES=, KILLS=, TURNS=, SEED=1
	$(PY) -m tests.rules.torture --games $(GAMES) $(if $(SEED),--seed $(SEED))
	$(PY) -m tests.torture --kills $(KILLS) --turns $(TURNS) $(addprefix --store ,$(STORE)) \
		$(if $(SEED),--seed $(SEED))
	SEASON_SEED=$(or $(SEED),any) $(PY) -m pytest -s -m thorough tests/season

.PHONY: fuzz
fuzz: $(READY) ## feeds parsers what breaks them, guided by coverage; SECONDS=60, TARGETS=moves, KEEP=1
	$(PY) -m pip install --quiet --require-hashes --only-binary :all: -r requirements-fuzz.lock
	$(PY) -m tests.fuzz --seconds $(SECONDS) $(if $(KEEP),--keep) $(TARGETS)

.PHONY: check
check: $(READY) ## checks format, style, types, the direction of imports and the commits' subjects
	@tools/deps check
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	.venv/bin/lint-imports --no-cache
	tsc -p tools/tsconfig.json
	$(PY) tools/page.py --check
	@$(PY) tools/subjects.py

.PHONY: bench
bench: $(READY) $(CORE) ## measures speed and writes docs/benchmarks.md; ARGS=rules measures one part
	$(PY) -m bench $(ARGS)

.PHONY: arena
arena: $(READY) $(CORE) ## plays the robots against each other for hours and writes docs/strength.md; ARGS="elo -j 2"
	$(PY) -m arena $(ARGS)

.PHONY: soak
soak: $(READY) ## sends 100,000 mails into a server, which must not grow; ARGS="--mails 5000" sends fewer
	$(PY) -m bench.soak $(ARGS)

.PHONY: format
format: $(READY) ## formats the source and mends what ruff can mend
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

.PHONY: deps
deps: ## installs the Debian packages that the tests need, where some are missing
	@tools/deps test

.PHONY: page
page: $(READY) ## builds the board page, pbm/page/board.html, which is committed
	$(PY) tools/page.py

.PHONY: wheel
wheel: $(READY) ## builds the wheel into dist/
	$(PY) -m pip wheel --quiet --no-deps --no-index --no-build-isolation --wheel-dir dist .

.PHONY: lock
lock: $(READY) ## writes requirements.lock anew; UPGRADE=1 takes the newest versions
	$(PY) -m pip install --quiet uv
	$(PY) -m uv pip compile --quiet --only-binary :all: pyproject.toml --extra dev --output-file requirements.lock \
		--universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url $(if $(UPGRADE),--upgrade)
	$(PY) -m uv pip compile --quiet --only-binary :all: --group fuzz --output-file requirements-fuzz.lock \
		--universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url $(if $(UPGRADE),--upgrade)

.PHONY: clean
clean: ## removes .venv and everything else that make made; var/ with its games stays
	rm -rf .venv .venv.lock dist build .fuzz .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find pbm tests migrations -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.lock pyproject.toml hatch_build.py $(CORE:_core.lib=core.c)
	@tools/venv $@ $^

# For who got a compiler after .venv was made.
$(CORE): $(CORE:_core.lib=core.c) | $(READY)
	@$(PY) -m pbm.rules.abalone.engine.compiling || true
