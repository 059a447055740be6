# Everything on a Linux machine with Python 3.11 or newer, make and a package index: `make demo`, `make test`.

VENV := .venv
STAMP := $(VENV)/.installed
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
OUT := out/digits
# Shares of the tests, in the order in which they begin, the longest first: four at a time, as most wait for processes
# that they start.
SHARES := compiler commands processes machines analyses launch emu others frontend
commands := tests/launch/cli
processes := $(addprefix tests/launch/,campaigns devices processes stress supervision system workers)
analyses := $(addprefix tests/launch/,bisect levels offload report)
machines := tests/launch/machines
launch := tests/launch $(patsubst %,--ignore=%,$(commands) $(processes) $(machines) $(analyses))
emu := tests/emu
frontend := tests/compiler/frontend
compiler := tests/compiler --ignore=$(frontend)
others := tests $(patsubst %,--ignore=tests/%,launch emu compiler)
# Torch and what exports from it, for tests: of other versions packages may bring gigabytes for graphics cards.
TORCH := torch==2.13.0 torchao==0.18.0 onnxscript==0.7.2
# The first interpreter that is new enough and can create environments.
PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13 python3.14; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$p"; break; }; done)

# Where bits of products are compared.
BITS := tests/emu/core tests/emu/interop/pim_isa/exporting tests/compiler/test_lowering_equals_golden.py \
	tests/compiler/test_products_of_any_rank.py tests/compiler/test_recurrent_layers.py tests/compiler/mapping/cutting \
	tests/compiler/nests tests/compiler/mapping/schedules tests/compiler/mapping/weight_swaps tests/compiler/streaming \
	tests/compiler/transforms/test_stagger.py tests/launch/cli/test_bit_identical.py \
	tests/launch/devices/test_any_session.py
# Kernels of OpenBLAS: for processors with AVX2, and for those without AVX.
KERNELS := Haswell Nehalem

.PHONY: help install demo bench test lint-beside test-full kernels compiled fuzz power storm docs site extras torch chips figures mapping bisect schedules scale analog lint format clean lock

help:
	@echo "make install    create $(VENV) with the locked versions and the command $(BIN)/emu (about a minute)"
	@echo "make demo       compile a network, run it on 64 core processes, compare with onnxruntime"
	@echo "make bench      measure everything and write docs/performance.md (ten to twenty minutes)"
	@echo "make test       ruff, basedpyright, pytest (twelve to nineteen minutes on two processors)"
	@echo "make test-full  the same with the heavy tests"
	@echo "make kernels    the tests of bits of products, with kernels of OpenBLAS for other processors (about three minutes)"
	@echo "make fuzz       100,000 damaged files for all loaders"
	@echo "make docs       write the tables of docs/ that are made of the product's own tables, and mark pages measured with an earlier state"
	@echo "make torch      install torch, torchao and onnxscript, whose tests then run, too (about 900 MB)"
	@echo "make site       build the documentation as a site into build/site (installs mkdocs-material)"
	@echo "make chips      time networks on the chips of papers and write docs/published-chips.md (about ten minutes)"
	@echo "make figures    make the figures of docs/schedules.md again (about two hours)"
	@echo "make mapping    halve and double the constants of the mapping, write docs/mapping-measured.md (about five minutes)"
	@echo "make scale      measure runs of up to 4,096 cores over up to 8 agents, write docs/scale.md (about ten minutes, 21 GB of memory)"
	@echo "make analog     what converters, cells and drift do to answers, into docs/analog.md (about ten minutes; needs make extras)"
	@echo "make bisect     seed faults, look whether --bisect names them, write docs/bisect.md (about an hour)"
	@echo "make power      count the branches that the tests run, and seed faults, each for the tests that run its line (an hour or two)"
	@echo "make storm      1,000 kills of any process of a run, at any moment; 200 faults of runs over hosts"
	@echo "make schedules  2,000 random networks under random schedules (about twenty minutes)"
	@echo "make format     format the sources"
	@echo "make lock       pin the newest versions that pyproject.toml allows into requirements.lock"
	@echo "make clean      remove everything that make created"

install: $(STAMP)

# Exact versions from the lock, then the project itself; again only when one of the two files changes.
$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: Python 3.11 or newer with venv is needed; name it with PYTHON=..." >&2; exit 2; }
	@echo "installing into $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --requirement requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP)
	$(BIN)/emu compile examples/digits_cnn.onnx --arch tiny --cores 64 -o $(OUT)
	$(BIN)/emu launch $(OUT) --cores 64 --input examples/digits_test.npz --labels labels --model examples/digits_cnn.onnx

bench: $(STAMP)
	$(BIN)/emu bench --all --profile resnet18 --costs --write docs/performance.md
	PYTHONPATH=tests/support $(BIN)/python -m stamps --measured performance.md

scale: $(STAMP)
	$(BIN)/python -m launch.bench.scale_page docs/scale.md
	PYTHONPATH=tests/support $(BIN)/python -m stamps --measured scale.md

analog: $(STAMP)
	$(BIN)/python -m launch.bench.analog_page docs/analog.md

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/basedpyright

# Tests start hundreds of interpreters, which would compile the sources each, where nothing may be written on import.
compiled: $(STAMP)
	@$(BIN)/python -m compileall -q emu compiler launch tests/support

# The checks of the sources run beside the tests. Each share ends with pytest's summary, and tells before what failed.
test: compiled
	@$(MAKE) --no-print-directory --keep-going --output-sync=target --jobs=4 lint-beside $(SHARES:%=share-%); failed=$$?; \
	$(foreach share,$(SHARES),tail -n 1 build/$(share).txt;) exit $$failed

# What pytest makes of the tests' sources is kept from run to run, also where nothing may be written on import.
share-%:
	@mkdir -p build
	@TESTS_SHARED=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -m "not full" $($*) >build/$*.txt 2>&1 && echo "$*: passed" \
		|| { grep -v "^[.s]* *\[" build/$*.txt; exit 1; }

lint-beside:
	@mkdir -p build
	@$(MAKE) --no-print-directory lint >build/lint.txt 2>&1 || { cat build/lint.txt; exit 1; }

# The tests in which bits of products are compared, with kernels of OpenBLAS that this processor may not choose itself.
kernels: compiled
	@mkdir -p build
	@for kernel in $(KERNELS); do \
		{ TESTS_SHARED=1 OPENBLAS_CORETYPE=$$kernel $(BIN)/python -m pytest $(BITS) >build/$$kernel.txt 2>&1; \
		echo $$? >build/$$kernel.code; } & \
	done; wait; failed=0; \
	for kernel in $(KERNELS); do \
		[ "$$(cat build/$$kernel.code)" = 0 ] || { cat build/$$kernel.txt; failed=1; }; \
		echo "$$kernel: $$(tail -n 1 build/$$kernel.txt)"; \
	done; exit $$failed

test-full: lint compiled
	$(BIN)/python -m pytest -m "full or not full"

fuzz: $(STAMP)
	PYTHONPATH=tests/support $(BIN)/python -m hostile --count 100000

docs: $(STAMP)
	PYTHONPATH=tests/support $(BIN)/python -m doc_tables
	PYTHONPATH=tests/support $(BIN)/python -m debug_page
	PYTHONPATH=tests/support $(BIN)/python -m stamps

# What draws pictures, searches with OR-Tools, places agents by Dask and builds the site: tests of these run wherever it is installed.
extras: $(STAMP)
	@$(PIP) install --retries 1 --constraint requirements.lock --no-build-isolation --editable ".[report,search,docs,dask]"

# What compiles modules of torch, and tests that (about 900 MB): they run wherever it is installed.
torch: $(STAMP)
	@$(PIP) install --retries 1 --constraint requirements.lock $(TORCH)

site: extras
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# What an interrupted run has measured is not measured again; a whole run begins with nothing kept.
chips: $(STAMP)
	@mkdir -p build
	$(BIN)/emu paper chips --write docs/published-chips.md --measurements build/chips.json
	@rm build/chips.json
	PYTHONPATH=tests/support $(BIN)/python -m chip_prose
	PYTHONPATH=tests/support $(BIN)/python -m stamps --measured published-chips.md

figures: $(STAMP)
	@mkdir -p build
	$(BIN)/emu paper --write docs/schedules.md --measurements build/schedules.json
	@rm build/schedules.json
	PYTHONPATH=tests/support $(BIN)/python -m stamps --measured schedules.md

mapping: $(STAMP)
	PYTHONPATH=tests/support $(BIN)/python -m mapping_constants

bisect: $(STAMP)
	PYTHONPATH=tests/support $(BIN)/python -m bisect_table --count 25
	PYTHONPATH=tests/support $(BIN)/python -m stamps --measured bisect.md

power: compiled
	PYTHONPATH=tests/support $(BIN)/python -m power

storm: $(STAMP)
	PYTHONPATH=tests/support $(BIN)/python -m storm --count 1000
	PYTHONPATH=tests/support $(BIN)/python -m host_storm --count 200

schedules: $(STAMP)
	PYTHONPATH=tests/support $(BIN)/python -m random_schedules --count 2000

format: $(STAMP)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lock:
	@rm -rf build/lock
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip --disable-pip-version-check --quiet install --upgrade setuptools ".[test]"
	@build/lock/bin/python -m pip --disable-pip-version-check freeze --all 2>/dev/null \
		| grep '==' | grep -v -e '^pip==' -e '^reram-emu==' > requirements.lock.new
	@mv requirements.lock.new requirements.lock
	@rm -rf build/lock
	@wc -l requirements.lock

clean:
	rm -rf $(VENV) out build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
