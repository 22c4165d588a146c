# Everything sets itself up in .venv of this checkout and says what it installs.
.PHONY: help demo stop test test-all mutants lint bench tournament docs lock audit pictures release clean

# Many containers set it; every command would then compile all its modules anew.
export PYTHONDONTWRITEBYTECODE :=

help:
	@echo "make demo    play a small contest, then AMIC on a site, and leave the site running"
	@echo "make stop    stop the site of the demo"
	@echo "make test    style, types and tests; make test-all: slow tests too, changed or not"
	@echo "make mutants break lines that changed since BASE (default origin/main) on purpose, and"
	@echo "             name what no test notices (ALL=400 SEED=1: that many lines of all areas)"
	@echo "make lint    style, types, import contracts, and what tests read in the repository"
	@echo "make bench   compare our kernels with what others offer, in one run"
	@echo "             (PEERS=1 first installs the others, in an environment of their own)"
	@echo "make tournament  play every attack against every sanitizer (under 30 minutes on 2 cores)"
	@echo "             and open tournament/index.html; run it again to go on (SIZE=quick: a minute)"
	@echo "make docs    build the documentation site into site/; a broken link fails"
	@echo "make lock    write uv.lock after a change of the dependencies (UPGRADE=1: newest versions)"
	@echo "make audit   ask osv.dev for known faults of the packages in uv.lock"
	@echo "             (ADVISORIES=folder: read advisories in the format of OSV there instead)"
	@echo "make pictures  keep how the main pages look now, after a change of their look that is meant"
	@echo "make release build both wheels and the source archive in dist/, and try them in empty"
	@echo "             environments"
	@echo "make clean   remove .venv and everything generated"

demo:
	@sh scripts/setup.sh host
	@sh scripts/demo.sh stop
	@rm -rf demo
	@.venv/bin/quintain play tiny --seed 7 --out demo/tiny
	@.venv/bin/quintain verify demo/tiny
	@echo
	@sh scripts/demo.sh start
	@echo
	@echo "The command is in .venv, not on your PATH. To go on:"
	@echo "    . .venv/bin/activate"
	@echo "    quintain play tiny --seed 8 --out another"

stop:
	@sh scripts/demo.sh stop

test:
	@sh scripts/setup.sh test lint
	@sh scripts/test_needs.sh
	@sh scripts/check.sh --durations=15

test-all:
	@sh scripts/setup.sh test lint
	@sh scripts/test_needs.sh
	@sh scripts/check.sh --slow --durations=15

mutants:
	@sh scripts/setup.sh test
	@ls build/mutants/reach/*.json >/dev/null 2>&1 || .venv/bin/python -m tests.mutants reach
	@.venv/bin/python -m tests.mutants $(if $(ALL),draw $(ALL) --seed $(or $(SEED),1),\
		changed --base $(or $(BASE),origin/main))

lint:
	@sh scripts/setup.sh test lint
	@sh scripts/lint.sh

bench:
	@sh scripts/setup.sh bench
	@if [ -n "$(PEERS)" ]; then sh scripts/peers.sh; fi
	@.venv/bin/python -m benchmarks.run

tournament:
	@sh scripts/setup.sh bench
	@OMP_NUM_THREADS=1 .venv/bin/python -m benchmarks.tournament --size $(or $(SIZE),default) \
		$(if $(wildcard docs/tournament.json),--against docs/tournament.json)

pictures:
	@sh scripts/setup.sh test
	@sh scripts/browser.sh
	@sh scripts/pictures.sh

docs:
	@sh scripts/setup.sh docs host
	@.venv/bin/python scripts/site/assemble.py build/docs
	@.venv/bin/zensical build --strict --clean
	@echo "built: python3 -m http.server -d site, then open http://localhost:8000"

lock:
	@sh scripts/lock.sh $(if $(UPGRADE),--upgrade)

audit:
	@sh scripts/setup.sh release
	@$(if $(ADVISORIES),.venv/bin/python scripts/known_faults.py $(ADVISORIES),.venv/bin/uv audit --frozen)

release:
	@sh scripts/setup.sh release
	@.venv/bin/python scripts/release.py

clean:
	rm -rf .venv .venv-peers demo build dist site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
