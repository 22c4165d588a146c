# Everything sets itself up in .venv of this checkout and says what it installs.
.PHONY: help demo stop test lint bench tournament docs clean

help:
	@echo "make demo    play a small contest, then AMIC on a site, and leave the site running"
	@echo "make stop    stop the site of the demo"
	@echo "make test    run the tests"
	@echo "make lint    style, types, import contracts"
	@echo "make bench   compare our kernels with what others offer, in one run"
	@echo "             (PEERS=1 first installs the others, in an environment of their own)"
	@echo "make tournament  play every attack against every sanitizer (under 30 minutes on 2 cores)"
	@echo "             and open tournament/index.html; run it again to go on (SIZE=quick: a minute)"
	@echo "make docs    build the documentation site into site/; a broken link fails"
	@echo "make clean   remove .venv and everything generated"

demo:
	@sh scripts/setup.sh server
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
	@sh scripts/setup.sh test
	@sh scripts/browser.sh
	@sh scripts/axe.sh
	@sh scripts/sandbox.sh
	@sh scripts/postgres.sh
	@.venv/bin/python -m pytest -n auto --durations=15

lint:
	@sh scripts/setup.sh test lint
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports

bench:
	@sh scripts/setup.sh bench
	@if [ -n "$(PEERS)" ]; then sh scripts/peers.sh; fi
	@.venv/bin/python -m benchmarks.run

tournament:
	@sh scripts/setup.sh bench
	@OMP_NUM_THREADS=1 .venv/bin/quintain tournament --size $(or $(SIZE),default) \
		$(if $(wildcard docs/tournament.json),--against docs/tournament.json)

docs:
	@sh scripts/setup.sh docs
	@.venv/bin/python scripts/site/assemble.py build/docs
	@NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet
	@echo "built: python3 -m http.server -d site, then open http://localhost:8000"

clean:
	rm -rf .venv .venv-peers demo build site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
