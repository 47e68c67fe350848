#!/bin/sh
# Builds the binaries of this folder; GCC 12.2 and binutils 2.40 made those that are kept.
set -e
cd "$(dirname "$0")"
g++ -g -O1 -gdwarf-5 -nostdlib -static -fno-asynchronous-unwind-tables -fno-exceptions -ffile-prefix-map="$PWD"=/src \
  -Wl,--build-id=sha1,-z,noseparate-code,-z,noexecstack app.cpp -o app
objcopy --only-keep-debug app app.debug
objcopy --strip-all --add-gnu-debuglink=app.debug app app.stripped
