# cosyedge: `make demo` to hear it, `make test` to trust it, `make check` before a commit.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:

BIN := .venv/bin
TEXT ?= The washing machine is done. It is 21.5 degrees outside.
# As it was typed: a dollar in it is not make's.
export DEMO_TEXT := $(value TEXT)
export ORT_DISABLE_TELEMETRY := 1
export OPENBLAS_NUM_THREADS := 1

.PHONY: help demo venv test check docs check-arm bench chaos soak fuzz mutants clean

help: ## Show this list.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

demo: ## Speak TEXT through a broker, a daemon and back; writes demo.wav.
	@.ci/venv voice,demo
	@$(BIN)/python -m cosyedge.demo "$$DEMO_TEXT"

venv: ## Make .venv with everything that development needs.
	@.ci/venv voice,demo,export,test

test: venv ## Run the whole suite.
	@.ci/debian mosquitto:mosquitto mosquitto_pub:mosquitto-clients openssl:openssl
	@# Without these, the tests that need them are skipped and say so.
	@if (( EUID == 0 )); then .ci/debian pulseaudio:pulseaudio parec:pulseaudio-utils \
	    aplay:alsa-utils strace:strace setpriv:util-linux; fi
	@$(BIN)/pytest

check: venv ## Format, lint, types, layers and documentation tables.
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@.ci/docs --check

docs: venv ## Write the generated parts of the documentation anew.
	@.ci/docs

check-arm: venv ## Ask whether every core dependency has an aarch64 wheel.
	@$(BIN)/python .ci/arm_wheels.py

bench: venv ## Measure speed and memory on this machine.
	@$(BIN)/cosyedge bench --json

chaos: venv ## Kill the daemon 1,000 times under load and count every announcement.
	@$(BIN)/python -m tests.chaos

soak: venv ## Flood it with 10,000 messages, speak 2,000 random texts, watch the memory.
	@$(BIN)/python -m tests.soak

fuzz: venv ## Feed nonsense to every reader; flip bytes of cache, voice and journal.
	@$(BIN)/python -m tests.fuzz

mutants: venv ## Seed known bugs and show that the suite finds each.
	@$(BIN)/python -m tests.mutants

clean: ## Remove what was built; .venv stays.
	@rm -rf build dist ./*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis demo.wav
