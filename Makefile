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

# The library of the charts in reports, bundled from the npm registry's package. It is no part of the repository; the sum is
# of what the bundler makes of these versions.
ECHARTS    := 5.6.0
ESBUILD    := 0.28.2
AXE        := 4.14.1
CHARTS     := report/html/assets/echarts.min.js
CHARTS_SUM := f4194235e6a31d4ebebd65fa366486f36dc1b887e1915d75197b9c36fbf6e697
CHARTS_LICENCES := report/html/echarts.licences.txt

# For all that runs go here, so that building and testing share what they compile. -trimpath leaves no folder of this
# machine in a binary.
export CGO_ENABLED := 0
export GOFLAGS := $(shell go env GOFLAGS) -trimpath

.PHONY: help build charts install dist demo test lint golden fuzz bench bench-verdicts check check-statistics check-lifetimes cover clean tools-for-tests FORCE
help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  make %-18s %s\n", $$1, $$2 }'

# --- the program ---

build: charts $(NOTICES) ## bin/memtide, one static binary
	go build -ldflags '$(LDFLAGS)' -o bin/memtide ./cmd/memtide

install: charts $(NOTICES) ## memtide into GOBIN (go env GOBIN, else GOPATH/bin)
	go install -ldflags '$(LDFLAGS)' ./cmd/memtide

dist: charts $(NOTICES) ## dist/: binaries for linux, darwin and windows on amd64 and arm64, checksums, notices
	rm -rf dist && mkdir -p dist
	cp $(NOTICES) dist/third-party.txt
	set -e; for t in $(TARGETS); do \
	  export GOOS=$${t%/*} GOARCH=$${t#*/}; out=dist/memtide-$(VERSION)-$$GOOS-$$GOARCH; \
	  if [ $$GOOS = windows ]; then out=$$out.exe; fi; \
	  echo "$$out"; go vet ./...; go build -ldflags '$(LDFLAGS)' -o $$out ./cmd/memtide; \
	done
	cd dist && sha256sum -- * > SHA256SUMS && cat SHA256SUMS

# Without npm, or without its registry, the program is built all the same: charts in reports then stand as they are drawn.
# A bundle that is not what it should be is no reason to go on.
charts: ## the library of charts that can be zoomed (ECharts, by npm), to be built into the program; skipped without npm
	@sum() { [ -f $(CHARTS) ] && [ "$$(sha256sum < $(CHARTS))" = "$(CHARTS_SUM)  -" ]; }; \
	sum && [ -s $(CHARTS_LICENCES) ] && exit 0; rm -f $(CHARTS) $(CHARTS_LICENCES); \
	command -v npm >/dev/null || { echo "no npm here: reports will have no charts to zoom into"; exit 0; }; \
	npm install --prefix out/npm --no-save --ignore-scripts --no-audit --no-fund --loglevel=error echarts@$(ECHARTS) esbuild@$(ESBUILD) >/dev/null || \
	  { echo "npm could not install ECharts: reports will have no charts to zoom into"; exit 0; }; \
	NODE_PATH=out/npm/node_modules out/npm/node_modules/.bin/esbuild report/html/echarts.entry.js --bundle --minify --format=iife --global-name=echarts \
	  --target=es2020 --legal-comments=none --log-level=error --outfile=$(CHARTS) \
	  --banner:js='/* Apache ECharts $(ECHARTS), reduced: Copyright The Apache Software Foundation, Apache License 2.0; with ZRender, BSD 3-Clause, Copyright Baidu Inc. */' && \
	for m in echarts zrender tslib; do for f in LICENSE LICENSE.txt NOTICE licenses/LICENSE-d3; do t=out/npm/node_modules/$$m/$$f; \
	  [ -f $$t ] && printf '==== npm %s %s: %s ====\n\n%s\n' $$m "$$(sed -nE 's/^ *"version": "(.*)",?/\1/p' out/npm/node_modules/$$m/package.json)" $$f "$$(cat $$t)"; done; done > $(CHARTS_LICENCES); \
	sum || { echo "$(CHARTS) is not what ECharts $(ECHARTS) makes: $$(sha256sum < $(CHARTS)), want $(CHARTS_SUM)"; rm -f $(CHARTS); exit 1; }

# Written to a file beside it first, so that a failure leaves none that looks whole.
$(NOTICES): charts FORCE
	@new=$@.$$$$; go run ./cmd/notices ./cmd/memtide > $$new && { [ ! -f $(CHARTS_LICENCES) ] || cat $(CHARTS_LICENCES) >> $$new; } && mv $$new $@ || { rm -f $$new; exit 1; }

demo: build ## out/demo.html: the two captured builds of fixtures/demo compared
	@mkdir -p out
	@bin/memtide compare --before fixtures/demo/before --after fixtures/demo/after -o out/demo.html

gallery: build ## out/gallery: a report of each family of captures, with an index
	@mkdir -p out/gallery
	@{ printf '<!doctype html><html lang="en"><meta charset="utf-8"><title>memtide: gallery</title><h1>memtide: one report of each family</h1><ul>\n'; \
	while IFS='|' read -r name title args; do \
	  bin/memtide $$args -o out/gallery/$$name.html >/dev/null || exit 1; \
	  printf '<li><a href="%s.html">%s</a></li>\n' "$$name" "$$title"; \
	done < fixtures/gallery/list.txt; printf '</ul></html>\n'; } > out/gallery/index.html
	@echo out/gallery/index.html

# --- the tests ---

test: charts tools-for-tests ## all tests; installs what they need (Chromium, poppler-utils, with apt-get, if this is root)
	go vet ./...
	@mkdir -p out/screenshots
	MEMTIDE_SCREENSHOTS=$(CURDIR)/out/screenshots go test ./...

tools-for-tests:
	@command -v chromium chromium-browser google-chrome >/dev/null 2>&1 && command -v pdftotext >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing Chromium and poppler for the browser tests"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium poppler-utils fonts-dejavu-core >/dev/null; \
	else echo "no Chromium or no pdftotext here: tests with a browser or of print will be skipped; install them with: sudo apt-get install chromium poppler-utils"; fi
	@[ -f out/axe/node_modules/axe-core/axe.min.js ] && exit 0; command -v npm >/dev/null || { echo "no npm here: the test with axe-core will be skipped"; exit 0; }; \
	npm install --prefix out/axe --no-save --ignore-scripts --no-audit --no-fund --loglevel=error axe-core@$(AXE) >/dev/null || echo "npm could not install axe-core: the test with it will be skipped"

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

# Inputs that reach something new are hardly made smaller: where what is reached differs a little from run to run, that takes a
# minute for each, and nothing else is tried.
fuzz: ## every fuzz target for FUZZTIME (1m)
	@grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed 's/func //' | sort | { fail=0; while IFS=: read -r file target; do \
	  echo "$$target in $$(dirname $$file)"; \
	  go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$(dirname $$file) </dev/null || fail=1; \
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

check-lifetimes: ## found and accused over the labelled captures in ../shared, by function, chain and thread; and over made-up programs
	MEMTIDE_LIFETIMES=1 MEMTIDE_STATISTICS=$${MEMTIDE_STATISTICS:-70} go test -count=1 -v -timeout 30m -run 'TestLabelledCaptures|TestLeaksOfPrograms|TestLostEvents|TestDeviceMemoryIsToldApart|TestCapturedRaces|TestRacesOfPrograms' ./analyze/ ./analyze/lifetime/

cover: ## statements that the tests reach, by package and in out/cover.html
	@mkdir -p out
	go test -coverprofile out/cover.out -coverpkg ./... ./... | grep -v 'no test files'
	go tool cover -html out/cover.out -o out/cover.html
	go tool cover -func out/cover.out | tail -n 1

clean: ## remove what was built
	rm -rf bin out dist $(NOTICES) $(CHARTS) $(CHARTS_LICENCES)
