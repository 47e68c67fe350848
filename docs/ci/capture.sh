#!/bin/sh
# Runs a program several times and takes /proc/PID/smaps of it while it runs (Linux).
#
#   capture.sh FOLDER RUNS SECONDS PROGRAM [ARGUMENT…]
#
# FOLDER/run-1, FOLDER/run-2 … are written anew: one folder a run, one snapshot every SECONDS. The program must end by
# itself, and be the process to measure rather than a script that starts it. Its failure, or a run without a snapshot,
# is the failure of the capture.
set -eu
folder=$1 runs=$2 seconds=$3
shift 3

# Seconds since 1970, with a fraction where date knows one. memtide takes the time of a snapshot from its file's name.
now() { date +%s.%N | sed 's/[.]*[^0-9.].*//'; }

# A snapshot gets its name when it is whole; what was read of a process that has gone is left out.
snapshot() {
	part=$run/.part
	if cat "/proc/$1/smaps" >"$part" 2>/dev/null && [ -s "$part" ]; then
		mv "$part" "$run/smaps-$1-$(now).txt"
	else
		rm -f "$part"
		return 1
	fi
}

rm -rf "$folder"/run-*
i=0
while [ "$i" -lt "$runs" ]; do
	i=$((i + 1))
	run=$folder/run-$i
	mkdir -p "$run"
	"$@" &
	pid=$!
	while sleep "$seconds" && snapshot "$pid"; do :; done
	wait "$pid"
	if [ -z "$(ls "$run")" ]; then
		echo "capture.sh: $1 ended before the first snapshot, after less than $seconds s" >&2
		exit 1
	fi
done
