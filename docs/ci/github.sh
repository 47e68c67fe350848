#!/bin/sh
# Holds the runs of this build against a policy, and against the runs of the baseline if there are any; shows the outcome
# the way GitHub Actions wants it. Ends with the exit code of memtide gate.
#
#   MEMTIDE_POLICY            policy file                               memory.yaml
#   MEMTIDE_RUNS              folder of this build, one folder a run    memory/head
#   MEMTIDE_BASELINE          the same of the baseline                  memory/base
#   MEMTIDE_REPORT            folder for the reports                    memory/report
#   MEMTIDE_REQUIRE_BASELINE  if not empty: without a baseline, end with 3
set -eu
cd "${GITHUB_WORKSPACE:-.}" # paths in annotations and SARIF are those below the root of the checkout
policy=${MEMTIDE_POLICY:-memory.yaml}
runs=${MEMTIDE_RUNS:-memory/head}
base=${MEMTIDE_BASELINE:-memory/base}
report=${MEMTIDE_REPORT:-memory/report}

# Reports of an earlier build must not pass for those of this one.
mkdir -p "$report"
rm -f "$report"/memory.*

code=0 baseline=yes
if [ -n "$(ls "$base" 2>/dev/null)" ]; then
	set -- --before "$base" --after "$runs"
else
	baseline=no
	set -- "$runs"/*
fi
if [ $baseline = no ] && [ -n "${MEMTIDE_REQUIRE_BASELINE:-}" ]; then
	echo "no baseline in $base, and MEMTIDE_REQUIRE_BASELINE is set" >&2
	code=3
else
	memtide gate --policy "$policy" "$@" \
		-o "$report/memory.html" -o "$report/memory.json.gz" -o "$report/memory.sarif" \
		-o "$report/memory.github.txt" -o "$report/memory.summary.md" -o "$report/memory.comment.md" || code=$?
fi

summary=${GITHUB_STEP_SUMMARY:-/dev/null}
if [ -f "$report/memory.github.txt" ]; then
	cat "$report/memory.github.txt"
	cat "$report/memory.summary.md" >>"$summary"
else
	echo "::error title=memtide::Nothing was judged (exit code $code); the log of this step says why."
	echo "**memtide:** nothing was judged (exit code $code); the log of the step says why." >>"$summary"
fi
if [ $baseline = no ]; then
	echo "::notice title=memtide::No baseline in $base: only limits, growth and faults were judged."
fi
printf 'code=%s\nbaseline=%s\n' "$code" "$baseline" >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$code"
