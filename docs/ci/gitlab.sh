#!/bin/sh
# Holds the runs of this build against a policy, and against the runs of the baseline if there are any; writes the reports
# that GitLab shows in a merge request. On the default branch, runs that pass become the baseline. Ends with the exit code
# of memtide gate.
#
#   MEMTIDE_POLICY            policy file                               memory.yaml
#   MEMTIDE_RUNS              folder of this build, one folder a run    memory/head
#   MEMTIDE_BASELINE          the same of the baseline                  memory/base
#   MEMTIDE_REPORT            folder for the reports                    memory/report
#   MEMTIDE_REQUIRE_BASELINE  if not empty: without a baseline, end with 3
set -eu
cd "${CI_PROJECT_DIR:-.}" # paths in reports are those below the root of the project
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
	echo "no baseline in $base: only limits, growth and faults are judged"
fi
if [ $baseline = no ] && [ -n "${MEMTIDE_REQUIRE_BASELINE:-}" ]; then
	echo "MEMTIDE_REQUIRE_BASELINE is set" >&2
	code=3
else
	memtide gate --policy "$policy" "$@" \
		-o "$report/memory.html" -o "$report/memory.json.gz" -o "$report/memory.junit.xml" \
		-o "$report/memory.codequality.json" -o "$report/memory.prom" -o "$report/memory.txt" || code=$?
fi
if [ -f "$report/memory.txt" ]; then
	cat "$report/memory.txt"
fi

if [ $code = 0 ] && [ -n "${CI_COMMIT_BRANCH:-}" ] && [ "$CI_COMMIT_BRANCH" = "${CI_DEFAULT_BRANCH:-}" ]; then
	rm -rf "$base"
	cp -R "$runs" "$base"
	echo "these runs are the baseline now"
fi
exit $code
