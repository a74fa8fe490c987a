# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0

DEMO_BUNDLE ?= Demo/digits.tiobundle
DEMO_IMAGE ?= Demo/images/digit-7-01.png
FUZZ_COUNT ?= 2000
LIVE_MODELS ?= Demo
THROUGHPUT_MODEL ?= ../shared/data/models/mobilenet_v1_0.25_128_quant.tflite
TRAINING_BUNDLE ?= ../shared/data/bundles/tensorflow/cats-vs-dogs-train.tiobundle
TENSORIO_HOME ?= $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/tensorio
TENSORFLOW_LIBRARY ?= $(or $(TENSORIO_TENSORFLOW_LIBRARY),$(TENSORIO_HOME)/lib/libtensorflow_cc.so.2)
THROUGHPUT_PHOTOS ?= ../shared/data/images
TINY_KEYWORDS ?= ../shared/data/models/kws_ref_model.tflite
TINY_PHOTOS ?= ../shared/data/images

# Flags of debug builds. A build without debug information is faster. Set this to nothing to use a
# debugger. Scripts/check.sh has more flags, so `make check` after `make test` builds everything again.
SWIFT_FLAGS ?= -debug-info-format none
# The servers and the tests need this trait. Without it, only the core is built.
SERVERS = --traits Servers

# On Linux the programs run on machines without Swift. They export no symbols, and each function has its
# own section. The linker can therefore leave out unused functions, and place those that run at startup
# next to each other. Functions with the same code are linked once, which saves 3%: nothing compares
# the addresses of functions. With glibc 2.36 the relocation table is a hundredth of the size. Optimization across
# modules (-disable-cmo turns it off) would take 7% of the build's time, and it changes none of the counts
# of "make budget" by more than 0.1%. link.py leaves out tables of Swift's
# functions that nothing reads. On macOS, Swift is a part of the system.
ifeq ($(shell uname -s),Linux)
ifneq ($(shell printf '%s\n' 2.36 "$$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" | sort -VC && echo new),)
RELOCATIONS = -Xlinker -z -Xlinker pack-relative-relocs
endif
RELEASE_FLAGS ?= --static-swift-stdlib --disable-local-rpath -debug-info-format $(DEBUG_INFO) \
  -Xswiftc -disable-cmo -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --icf=all \
  -Xswiftc -Xclang-linker -Xswiftc --ld-path=$(CURDIR)/Scripts/packaging/link.py \
  -Xswiftc -Xfrontend -Xswiftc -function-sections \
  -Xlinker --symbol-ordering-file=$(CURDIR)/Scripts/packaging/startup_order.txt -Xlinker --no-warn-symbol-ordering \
  $(RELOCATIONS)
endif
# SwiftPM passes the traits of dependencies to the compiler in the order of a set, which differs from one start
# to the next. Another order compiles Hummingbird, and all that depends on it, again.
STABLE_ORDER = SWIFT_DETERMINISTIC_HASHING=1
SWIFT_BUILD = $(STABLE_ORDER) swift build
# Package.swift says what this does.
SMALL_BUILD ?= TENSORIO_SMALL_BUILD=1
TEST_BUILD ?= TENSORIO_TEST_BUILD=1
# Set this to dwarf to use a debugger. A build with none is faster.
DEBUG_INFO ?= none
# The codecs are linked statically if the system has static libraries. Each shared library would cost
# 100 KB, and time to find it at startup. STATIC_CODECS=no links the shared ones, which a distribution updates.
STATIC_CODECS ?= yes
CODECS ?= -Xswiftc -L$(CURDIR)/.build/static-codecs
# The last program isn't installed. It only generates the completion scripts.
PROGRAMS = tensorio tensorio-netrunner tensorio-repository tensorio-completions

.DEFAULT_GOAL := help
.PHONY: help demo test test-scripts test-swift check setup tensorflow faces tiny codecs build programs release-static install uninstall deb wheel archive test-packages budget format docs bench throughput bulk serving calls live hosting training fuzz fuzz-models memcheck tsan kernels clean

help: ## Shows this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: build ## Installs missing dependencies, builds, and runs the demo model on a demo image.
	.build/release/tensorio run $(DEMO_BUNDLE) $(DEMO_IMAGE) --top 3

test: test-scripts test-swift ## Installs missing dependencies and runs every test.

test-scripts: setup
	@TENSORIO_PYTHON="$$(Scripts/setup.sh --tensorflow --peers)" && export TENSORIO_PYTHON && set -x && \
	  "$$TENSORIO_PYTHON" -m unittest discover --start-directory Scripts

test-swift: setup
	@TENSORIO_PYTHON="$$(Scripts/setup.sh --tensorflow --peers)" && export TENSORIO_PYTHON && set -x && \
	  $(TEST_BUILD) $(SWIFT_BUILD) $(SERVERS) $(SWIFT_FLAGS) --build-tests && \
	  Scripts/test.sh $(SERVERS) $(SWIFT_FLAGS)

check: ## Checks what every change must pass: format, no warnings, docs, every test.
	@Scripts/check.sh

setup: ## Installs the image libraries and LiteRT, if they are missing.
	@Scripts/setup.sh

tensorflow: ## Installs the TensorFlow library (a 270 MB download), to run and train SavedModels.
	@Scripts/setup.sh --tensorflow

faces: setup ## Fetches a model that finds faces (7 MB) and a photo (8 MB), for Net Runner and "tensorio run".
	@Scripts/fetch_library.py faces

tiny: build ## Fetches trained models of MLPerf Tiny's tasks (34 MB), and compares init, run and evaluate with Python.
	@Scripts/fetch_library.py tiny
	@python="$$(Scripts/setup.sh --tensorflow --peers)" && \
	  "$$python" Tools/peers/mlperf_tiny.py .build/release/tensorio $(TENSORIO_HOME)/tiny \
	  $(addprefix --photos ,$(wildcard $(TINY_PHOTOS))) $(addprefix --keywords ,$(wildcard $(TINY_KEYWORDS)))

# SwiftPM does not notice that a library changed, so programs that were linked otherwise are removed.
codecs: setup
	@if [ "$$(cat .build/static-codecs/mode 2>/dev/null)" != "$(STATIC_CODECS)" ]; then \
	  rm -f .build/static-codecs/lib*.a $(PROGRAMS:%=.build/release/%); \
	fi
	@if [ "$(STATIC_CODECS)" = yes ]; then Scripts/packaging/static_libraries.sh --codecs .build/static-codecs; fi
	@mkdir -p .build/static-codecs && echo "$(STATIC_CODECS)" >.build/static-codecs/mode

build: codecs ## Builds tensorio for release, without the servers.
	$(SMALL_BUILD) $(SWIFT_BUILD) -c release $(RELEASE_FLAGS) $(CODECS) --product tensorio

programs: codecs ## Builds tensorio, tensorio-netrunner and tensorio-repository for release.
	for program in $(PROGRAMS); do \
	  $(SMALL_BUILD) $(SWIFT_BUILD) -c release $(SERVERS) $(RELEASE_FLAGS) $(CODECS) --product $$program || exit; done

# These programs contain every library except glibc, for machines that have Python and little else. The
# folder is passed with -Xswiftc instead of -Xlinker, because it must come before the system's folders.
# The second -lstdc++ is for Swift's own archives. A weak reference links nothing from an archive, and the
# programs refer to SQLite weakly, so --undefined asks for it.
release-static: setup ## Builds the three programs for the wheel, with all libraries except glibc linked statically.
	Scripts/packaging/static_libraries.sh .build/static-libraries
	for program in $(PROGRAMS); do \
	  $(SMALL_BUILD) $(SWIFT_BUILD) -c release --scratch-path .build/wheel-build $(SERVERS) $(RELEASE_FLAGS) \
	    -Xswiftc -L$(CURDIR)/.build/static-libraries -Xlinker -lstdc++ \
	    -Xlinker --undefined=sqlite3_open_v2 -Xlinker -lsqlite3 --product $$program || exit; done

install: ## Installs the programs from "make programs" into PREFIX (default: /usr/local).
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" SYSTEMD="$(SYSTEMD)" Scripts/packaging/install.sh install

uninstall: ## Removes the files that "make install" installed.
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" Scripts/packaging/install.sh uninstall

deb: STATIC_CODECS = no
deb: programs ## Makes a Debian package in .build/packages.
	Scripts/packaging/deb.sh

wheel: release-static ## Makes a Python wheel in .build/packages.
	CHECKOUTS=.build/wheel-build/checkouts COPYRIGHT_OPTIONS="--static .build/static-libraries" \
	  Scripts/packaging/wheel.py

archive: release-static ## Makes a .tar.gz with the programs of the wheel in .build/packages.
	CHECKOUTS=.build/wheel-build/checkouts COPYRIGHT_OPTIONS="--static .build/static-libraries" \
	  Scripts/packaging/archive.sh

test-packages: ## Installs, upgrades and removes both packages on bare systems (needs root).
	Scripts/packaging/test_packages.sh .build/packages/*.deb .build/packages/*.whl

budget: build ## Compares sizes, packages and instructions with Benchmarks/budgets.json.
	@Scripts/setup.sh --measuring
	Benchmarks/budget.py --programs .build/release
	Scripts/packaging/test_exceptions.py .build/release/tensorio

format: ## Formats every Swift file.
	git ls-files -z --cached --others --exclude-standard '*.swift' | xargs -0 swift format --in-place --parallel

docs: setup ## Builds the documentation of the libraries.
	$(TEST_BUILD) $(SWIFT_BUILD) $(SERVERS) $(SWIFT_FLAGS)
	Scripts/docs.sh

bench: build ## Compares the speed with the bare C calls and with Python.
	@# SwiftPM only looks for new files of a neighbouring package if the package's manifest is newer.
	@touch Benchmarks/Package.swift
	$(SWIFT_BUILD) -c release --package-path Benchmarks
	@python="$$(Scripts/setup.sh --peers --measuring)" && set -x && \
	  Benchmarks/.build/release/tensorio-benchmarks "$(CURDIR)" && \
	  Benchmarks/.build/release/tensorio-decoding && \
	  Scripts/bench.py --binary .build/release/tensorio --python "$$python"

throughput: setup ## Measures images per second, compared with Pillow and OpenCV in Python.
	@touch Benchmarks/Package.swift
	$(SWIFT_BUILD) -c release --package-path Benchmarks --product tensorio-throughput
	@python="$$(Scripts/setup.sh --peers)" && set -x && \
	  "$$python" -m pip install --quiet --requirement Benchmarks/requirements.txt && \
	  "$$python" Benchmarks/throughput.py --binary Benchmarks/.build/release/tensorio-throughput \
	    --model $(THROUGHPUT_MODEL) --photos $(THROUGHPUT_PHOTOS)

bulk: build ## Measures bulk runs, compared with the bare pipeline and Python.
	@touch Benchmarks/Package.swift
	$(SWIFT_BUILD) -c release --package-path Benchmarks --product tensorio-throughput
	@python="$$(Scripts/setup.sh --peers)" && set -x && \
	  "$$python" -m pip install --quiet --requirement Benchmarks/requirements.txt && \
	  "$$python" Benchmarks/bulk.py --tensorio .build/release/tensorio \
	    --bare Benchmarks/.build/release/tensorio-throughput \
	    --model $(THROUGHPUT_MODEL) --photos $(THROUGHPUT_PHOTOS)

serving: programs ## Measures the server's requests per second, compared with uvicorn (needs wrk).
	@python="$$(Scripts/setup.sh --peers)" && set -x && \
	  "$$python" -m pip install --quiet --requirement Benchmarks/requirements.txt && \
	  "$$python" Benchmarks/serving.py --tensorio .build/release/tensorio \
	    --model $(THROUGHPUT_MODEL) --photos $(THROUGHPUT_PHOTOS)

calls: programs ## Measures Net Runner by gRPC and by HTTP, which take turns.
	@python="$$(Scripts/setup.sh --peers)" && set -x && \
	  "$$python" Benchmarks/grpc_inference.py --netrunner .build/release/tensorio-netrunner

live: programs ## Measures the page's live view in Chromium, with the camera fed from a film.
	@python="$$(Scripts/setup.sh --peers)" && set -x && \
	  "$$python" -m pip install --quiet --requirement Benchmarks/requirements.txt && \
	  "$$python" Benchmarks/live.py --program .build/release/tensorio-netrunner --models $(LIVE_MODELS) \
	    --photo Benchmarks/photo-640x480.jpg

hosting: programs ## Measures the repository's downloads, compared with nginx (needs wrk and nginx).
	Benchmarks/hosting.py --tensorio .build/release/tensorio --bundle $(DEMO_BUNDLE)

training: tensorflow ## Measures training steps, compared with Python's Session.
	@touch Benchmarks/Package.swift
	$(SWIFT_BUILD) -c release --package-path Benchmarks --product tensorio-training
	@python="$$(Scripts/setup.sh --peers)" && set -x && \
	  "$$python" Benchmarks/training.py --binary Benchmarks/.build/release/tensorio-training \
	    --bundle $(TRAINING_BUNDLE) --photos $(THROUGHPUT_PHOTOS) --library $(TENSORFLOW_LIBRARY)

fuzz: setup ## Runs the command on 2,000 corrupted models, descriptions and images each, then decodes 5,000 under the address sanitizer.
	$(SWIFT_BUILD) $(SERVERS) $(SWIFT_FLAGS) --product tensorio
	Scripts/fuzz.py --binary .build/debug/tensorio --count $(FUZZ_COUNT)
	@# This runs in one process, because the sanitizer starts slowly.
	TENSORIO_FUZZ_IMAGES=5000 ASAN_OPTIONS=detect_leaks=0 \
	  swift test --sanitize=address --scratch-path .build/asan --filter ImageFuzzTests
	TENSORIO_FUZZ_STREAMS=10000 swift test $(SERVERS) $(SWIFT_FLAGS) --filter WorkerStreamFuzzTests

fuzz-models: setup ## Runs the command on 8,000 models with an altered field or altered bytes.
	$(SWIFT_BUILD) --product tensorio
	@python="$$(Scripts/setup.sh --peers)" && set -x && \
	  "$$python" Scripts/fuzz_models.py --binary .build/debug/tensorio --fields 3000 --bytes 5000

memcheck: build ## Runs the demo under valgrind, and fails on errors.
	@Scripts/setup.sh --measuring
	@# valgrind 3.19 cannot read Swift's debug information, so it gets a copy without it.
	strip -o .build/tensorio-stripped .build/release/tensorio
	valgrind --quiet --error-exitcode=70 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
	  --suppressions=Scripts/valgrind.supp \
	  .build/tensorio-stripped run $(DEMO_BUNDLE) $(DEMO_IMAGE) --top 3

tsan: setup ## Runs the tests of parallel work under the thread sanitizer.
	Scripts/tsan.sh

kernels: ## Compares every variant of the pixel kernels: plain C, SSE2, AVX2, AVX-512, and NEON under qemu.
	Scripts/kernels.sh

clean: ## Removes everything that was built.
	rm -rf .build Benchmarks/.build
