# Everything that is built goes to the cache folder, so that a fresh clone and CI find what was built before.
CACHE   ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
BUILD   ?= $(CACHE)/todo-build
RELEASE ?= $(CACHE)/todo-release
TOOLS   ?= $(CACHE)/todo-tools
DOCS    ?= $(CACHE)/todo-docs
PREFIX  ?= $(HOME)/.local
SEEDS   ?= 10000
# As many as play in about a minute on two cores.
TEST_SEEDS ?= 1000
# Worlds whose server lies, as many as play in a few seconds.
TEST_HOSTILE_SEEDS ?= 60
# Worlds with a hostile member, as many as play in half a minute.
TEST_MEMBER_SEEDS ?= 40
FUZZ_SECONDS ?= 300
EVERYDAY_SECONDS ?= 60
# Worlds of each kind of record, with twenty bent ones each.
FUZZ_ROUNDS ?= 200

# Every package in the very version of Packages.txt.
export TODO_PINNED := 1

debug   := swift build --scratch-path $(BUILD)
# All addresses are looked up at the start, so that the table of them can be read-only; no library is looked for beside the program.
release := swift build --scratch-path $(RELEASE) --configuration release --static-swift-stdlib --disable-local-rpath \
	-Xlinker -z -Xlinker now

# Foundation reads past its buffer when it starts a program while very many files are open, and who waits for a program holds one
# of the few threads that all tests share: a request over a socket starves beside them. So each of the two has a run of its own.
sockets  := HTTPTests|EventStreamTests
programs := TranscriptTests|CrashTests|ProjectTests|MemoryTests|DiskFaultTests|FaultNoteTests|CalendarProcessTests

.PHONY: help setup setup-crash crash setup-vectors build release sbom test without-todo docs sim sim-hostile sim-members sim-mutants hostile-mutants defences everyday pictures plays floods man completion demo install bench laws fuzz vectors proto format lint clean
.DEFAULT_GOAL := help

help: ## show this
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22

setup: ## install the libraries that are missing
	@scripts/setup libsqlite3-dev libsodium-dev libgd-dev libchafa-dev libical3

build: setup ## build everything for debugging
	$(debug) --build-tests

setup-crash:
	@scripts/setup python3 strace binutils taskwarrior

test: build setup-crash ## run all tests
	scripts/packages check $(BUILD)
	scripts/tests --scratch-path $(BUILD) --skip-build --skip '$(programs)|$(sockets)'
	scripts/tests --scratch-path $(BUILD) --skip-build --filter '$(sockets)'
	scripts/tests --scratch-path $(BUILD) --skip-build --filter '$(programs)'
	scripts/without-todo $(BUILD) GuideTests || [ $$? = 77 ]
	$(MAKE) --no-print-directory sim SEEDS=$(TEST_SEEDS)
	$(MAKE) --no-print-directory sim-hostile SEEDS=$(TEST_HOSTILE_SEEDS)
	$(MAKE) --no-print-directory sim-members SEEDS=$(TEST_MEMBER_SEEDS)
	scripts/linking $(RELEASE)/release/todo-sim
	python3 -B scripts/everyday $(BUILD)/debug --seconds $(EVERYDAY_SECONDS)

without-todo: build ## delete the todo list from a copy, and show that the framework goes on
	scripts/without-todo $(BUILD)

docs: setup ## write the documentation of the framework for other apps
	scripts/setup python3
	$(debug) --target Sharing
	scripts/docs $(BUILD)/debug $(DOCS)
	@echo "to read it: python3 -m http.server --directory $(DOCS)"
	@echo "            http://localhost:8000/Treesystem/documentation/treesystem and http://localhost:8000/Sharing/documentation/sharing"

man: setup ## write the man pages
	scripts/setup python3
	$(debug)
	scripts/man $(BUILD)/debug/todo $(BUILD)/debug/todo-server man

completion: setup ## press the tab key in bash, zsh and fish, with titles that would run code
	scripts/setup python3 zsh fish
	$(debug) --product todo
	scripts/completion $(BUILD)/debug/todo

demo: setup ## play how two people share a list
	$(debug)
	scripts/demo $(BUILD)/debug

release: setup
	@scripts/setup python3 binutils
	$(release) --product todo
	$(release) --product todo-server
	scripts/packages check $(RELEASE)
	scripts/linking $(RELEASE)/release/todo $(RELEASE)/release/todo-server

sbom: build ## print what the programs are built from, as CycloneDX
	@scripts/packages sbom $(BUILD)

install: release ## install todo, todo-server and their man pages into PREFIX (~/.local)
	install -d $(PREFIX)/bin
	install --strip $(RELEASE)/release/todo $(RELEASE)/release/todo-server $(PREFIX)/bin
	install -d $(PREFIX)/share/man/man1 $(PREFIX)/share/man/man7
	install --mode 644 man/*.1 $(PREFIX)/share/man/man1
	install --mode 644 man/*.7 $(PREFIX)/share/man/man7

sim: setup ## play SEEDS simulated worlds
	$(release) --product todo-sim
	$(RELEASE)/release/todo-sim --seeds $(SEEDS)

sim-hostile: setup ## play SEEDS worlds whose server lies
	$(release) --product todo-sim
	$(RELEASE)/release/todo-sim hostile --seeds $(SEEDS)

sim-members: setup ## play SEEDS worlds in which a member changes their own database
	$(release) --product todo-sim
	$(RELEASE)/release/todo-sim members --seeds $(SEEDS)

sim-mutants: setup ## plant defects in the program, and show which seed finds each
	$(release) --product todo-sim
	$(RELEASE)/release/todo-sim mutants

hostile-mutants: build ## take each defence out of the client, and show which lie of a hostile server gets through
	scripts/setup python3
	python3 -B scripts/hostile-mutants $(BUILD)/debug/todoPackageTests.xctest

defences: setup setup-vectors ## take each defence out of the server, and show which test fails without it
	scripts/setup protobuf-compiler
	$(TOOLS)/python/bin/python -B scripts/defences $(CACHE)/todo-defences

bench: release ## measure what people do every day, sync and files, beside peers
	scripts/setup python3 age taskwarrior todotxt-cli
	$(release) --product todo-sim
	python3 scripts/bench $(RELEASE)/release

laws: setup ## try the laws of merge on a million triples, and on 100,000 histories
	$(release) --product todo-sim
	$(RELEASE)/release/todo-sim laws
	$(RELEASE)/release/todo-sim histories

fuzz: build ## give hostile bytes to what reads files, pictures, imports and dates, for FUZZ_SECONDS each, and bent records to servers and devices
	scripts/fuzz $(CACHE)/todo-fuzz $(FUZZ_SECONDS)
	TODO_FUZZ_ROUNDS=$(FUZZ_ROUNDS) scripts/tests --scratch-path $(BUILD) --skip-build --filter ProtocolFuzzTests

crash: release setup-crash ## kill and trouble the real programs at every system call
	python3 -B scripts/crash stress $(RELEASE)/release
	python3 -B scripts/crash upload $(RELEASE)/release
	python3 -B scripts/crash space $(RELEASE)/release
	python3 -B scripts/crash lock $(RELEASE)/release --sample 0
	python3 -B scripts/crash faults $(RELEASE)/release --results $(CACHE)/todo-crash
	python3 -B scripts/crash points $(RELEASE)/release --results $(CACHE)/todo-crash

setup-vectors: $(TOOLS)/python/requirements.txt
$(TOOLS)/python/requirements.txt: Tests/Vectors/generate/requirements.txt
	scripts/setup python3-venv
	python3 -m venv $(TOOLS)/python
	$(TOOLS)/python/bin/pip install --quiet --requirement $<
	cp $< $@

vectors: setup-vectors ## write the test vectors anew
	scripts/setup protobuf-compiler
	cd Tests/Vectors && $(TOOLS)/python/bin/python -m generate

everyday: release ## play what people do every day with the real programs, at random
	python3 -B scripts/everyday $(RELEASE)/release --seconds $(EVERYDAY_SECONDS)

pictures: release ## attach and show 1,000 pictures while every core is busy, and import a backup with some ten times
	scripts/setup python3 strace
	python3 -B scripts/pictures $(RELEASE)/release

plays: release ## play attacks of members with changed clients on the real programs
	scripts/setup python3
	$(release) --product todo-sim
	python3 -B scripts/plays $(RELEASE)/release

floods: release setup-vectors ## play floods of a hostile account on the real server
	scripts/setup protobuf-compiler
	$(TOOLS)/python/bin/python -B scripts/floods $(RELEASE)/release

proto: setup ## generate the Swift code of proto/*.proto anew
	scripts/setup protobuf-compiler
	swift package --scratch-path $(BUILD) resolve
	swift build --package-path $(BUILD)/checkouts/swift-protobuf --scratch-path $(TOOLS)/protobuf \
	  --configuration release --product protoc-gen-swift
	scripts/proto $(TOOLS)/protobuf/release/protoc-gen-swift

format: ## format the code
	swift format format --in-place --parallel --recursive Sources Tests samples Package.swift

lint: ## say what is wrong with the formatting
	swift format lint --strict --parallel --recursive Sources Tests samples Package.swift

clean: ## remove what was built
	rm -rf $(BUILD) $(RELEASE) $(TOOLS) $(DOCS)
