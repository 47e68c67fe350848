# memtide: what can be made. `make` alone prints this list.
SHELL   := /bin/bash -o pipefail
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
TARGETS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
NOTICES := cmd/memtide/notices/third-party.txt
FUZZTIME ?= 1m
BENCH    ?= .
SHARED   ?= ../shared

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
VULNDB      := v0.0.0-20261105234957-e22db6528018

# For all that runs go here, so that building and testing share what they compile. -trimpath leaves no folder of this
# machine in a binary.
export CGO_ENABLED := 0
export GOFLAGS := $(shell go env GOFLAGS) -trimpath

.PHONY: help build install dist demo test lint golden fuzz bench bench-verdicts check check-statistics cover clean tools-for-tests FORCE
help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  make %-18s %s\n", $$1, $$2 }'

# --- the program ---

build: $(NOTICES) ## bin/memtide, one static binary
	go build -ldflags '$(LDFLAGS)' -o bin/memtide ./cmd/memtide

install: $(NOTICES) ## memtide into GOBIN (go env GOBIN, else GOPATH/bin)
	go install -ldflags '$(LDFLAGS)' ./cmd/memtide

dist: $(NOTICES) ## dist/: binaries for linux, darwin and windows on amd64 and arm64, checksums, notices
	rm -rf dist && mkdir -p dist
	cp $(NOTICES) dist/third-party.txt
	set -e; for t in $(TARGETS); do \
	  export GOOS=$${t%/*} GOARCH=$${t#*/}; out=dist/memtide-$(VERSION)-$$GOOS-$$GOARCH; \
	  if [ $$GOOS = windows ]; then out=$$out.exe; fi; \
	  echo "$$out"; go vet ./...; go build -ldflags '$(LDFLAGS)' -o $$out ./cmd/memtide; \
	done
	cd dist && sha256sum -- * > SHA256SUMS && cat SHA256SUMS

# Written to a file beside it first, so that a failure leaves none that looks whole.
$(NOTICES): FORCE
	@new=$@.$$$$; go run ./cmd/notices ./cmd/memtide > $$new && mv $$new $@ || { rm -f $$new; exit 1; }

demo: build ## out/demo.html: the two captured builds of fixtures/demo compared
	@mkdir -p out
	@bin/memtide compare --before fixtures/demo/before --after fixtures/demo/after -o out/demo.html

# --- the tests ---

test: tools-for-tests ## all tests; installs what they need (Chromium, with apt-get, if this is root)
	go vet ./...
	go test ./...

tools-for-tests:
	@command -v chromium chromium-browser google-chrome >/dev/null 2>&1 && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing Chromium for the browser test"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core >/dev/null; \
	else echo "no Chromium here: the browser test will be skipped; install it with: sudo apt-get install chromium"; fi

lint: out/vulndb-$(VULNDB)/index/modules.json ## gofmt, vet, staticcheck, known faults of modules, and the rules of the tree
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt wants: $$unformatted"; exit 1; fi
	go vet ./...
	go mod tidy -diff
	go run $(STATICCHECK) ./...
	go run ./cmd/vulns -db out/vulndb-$(VULNDB) -tool $(GOVULNCHECK) ./...
	go test -count=1 .

# The database of known faults, as a folder; its web host is not asked.
out/vulndb-$(VULNDB)/index/modules.json:
	rm -rf $(@D)/..
	osv=$$(go mod download -json golang.org/x/vulndb@$(VULNDB) | sed -nE 's/.*"Dir": "(.*)",?/\1/p')/data/osv; \
	go run golang.org/x/vulndb/cmd/indexdb@$(VULNDB) -vulns "$$osv" -out out/vulndb-$(VULNDB)

# Packages whose tests know -update; the others would refuse the flag.
golden: ## rewrite all golden files and generated documents; look at the difference before you commit it
	go test -count=1 $$(grep -rlE --include='*_test.go' 'flag\.Bool\("update"|memtide/report/internal/golden"' . | xargs -n1 dirname | sort -u) -update

fuzz: ## every fuzz target for FUZZTIME (1m)
	@grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed 's/func //' | sort | { fail=0; while IFS=: read -r file target; do \
	  echo "$$target in $$(dirname $$file)"; \
	  go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$(dirname $$file) </dev/null || fail=1; \
	done; exit $$fail; }

bench: ## all benchmarks (BENCH=regexp to choose)
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

bench-verdicts: ## time of a verdict by number of samples, and of 10,000 series
	MEMTIDE_SPEED=1 go test -count=1 -v -run 'TestSpeed' ./analyze/

check: build ## the acceptance over the real captures in ../shared, where it is present
	@if [ ! -x $(SHARED)/check/run ]; then echo "no $(SHARED)/check here: nothing to hold the program against"; exit 0; fi; \
	fail=0; for c in run growth ab; do echo "== $$c"; $(SHARED)/check/$$c bin/memtide || fail=1; done; exit $$fail

check-statistics: ## found and false alarms over many generated series and comparisons (MEMTIDE_STATISTICS each)
	MEMTIDE_STATISTICS=$${MEMTIDE_STATISTICS:-70} go test -count=1 -v -timeout 60m -run 'TestGrowthStatistics|TestGrowthPlainChain|TestRatesAreRight|TestSameProgramRaisesNoAlarm|TestWhatGrewIsFound' ./analyze/

cover: ## statements that the tests reach, by package and in out/cover.html
	@mkdir -p out
	go test -coverprofile out/cover.out -coverpkg ./... ./... | grep -v 'no test files'
	go tool cover -html out/cover.out -o out/cover.html
	go tool cover -func out/cover.out | tail -n 1

clean: ## remove what was built
	rm -rf bin out dist $(NOTICES)
