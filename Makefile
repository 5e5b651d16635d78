# The two commands of the README are `make demo` and `make test`; both install
# what is missing through the machine's package manager, after saying so.
.PHONY: demo test clients check long race lasting build bench fuzz fuzz-front generate clean

SHELL := /bin/bash
TOOL = go tool -modfile=tools/go.mod

# Where the demo lives. PostgreSQL refuses to run as root; bb gives it another
# user then, who cannot enter a checkout in root's home.
DEMO_DATA ?= $(shell [ "$$(id -u)" = 0 ] && echo /var/lib/polaris-demo || echo .cache/demo)

demo: build
	@scripts/need postgres
	./bin/bb serve --demo --data-dir $(DEMO_DATA)

build:
	@scripts/need go
	go build -o bin/bb ./cmd/bb

test:
	@scripts/need go postgres chromium node nginx readers
	@scripts/test

# The real clients alone; make test runs them, too.
clients:
	@scripts/need go postgres node nginx
	@scripts/test ./internal/clients

# What CI runs beside the tests: formatting, vet, lint, generated files.
check:
	@scripts/check

# What takes longer, before an issue is closed: races, fuzzing, long rounds,
# benchmarks.
long: race fuzz fuzz-front lasting bench

race:
	@scripts/need go postgres chromium node nginx readers
	@scripts/test -race ./...

# The tests that have more rounds, or real minutes instead of seconds.
lasting:
	@scripts/need go postgres
	@POLARIS_TEST_LONG=1 scripts/test -timeout 60m $$(grep -rl --include='*_test.go' POLARIS_TEST_LONG . | xargs -n1 dirname | sort -u)

# Retrieval quality and speed, and the MCP endpoint against an empty tool.
bench: build
	@scripts/bench

# Each fuzz target for FUZZTIME (default 30s).
fuzz:
	@scripts/fuzz

# A million bodies, or BODIES of them, to the MCP endpoint: minutes.
fuzz-front:
	@scripts/need go postgres
	@FUZZTIME=$(or $(BODIES),1000000)x scripts/fuzz ./mcp '^FuzzFront$$'

generate:
	$(TOOL) templ generate

clean:
	rm -rf bin .cache
