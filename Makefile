# The two commands of the README are `make demo` and `make test`; both install
# what is missing through the machine's package manager, after saying so.
.PHONY: demo test shots clients check long race lasting build bench fuzz fuzz-front generate clean

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

# Pictures of the pages as the browser tests meet them, light, dark and on two
# phones, in SHOTS; and each page in each state, to be opened from SHOTS/gallery.
SHOTS ?= .cache/shots
shots:
	@scripts/need go postgres chromium
	POLARIS_SHOTS=$(abspath $(SHOTS)) go test ./web -run "InTheBrowser|ByKeys" -count=1 -timeout 30m
	POLARIS_GALLERY=$(abspath $(SHOTS))/gallery go test ./views/gallery -run PagesAreSound -count=1

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
