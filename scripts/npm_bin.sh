#!/bin/sh
# Starts ally with the Deno that npm installed beside it, and becomes that Deno: no Node process stays.
[ . -ef "$PWD" ] || { echo 'ally: Cannot work here: the current directory is gone.' >&2; exit 2; }

# npm links to this file; the package is where the links end.
script=$0
while [ -h "$script" ]; do
  target=$(readlink "$script")
  case $target in
    /*) script=$target ;;
    *) script=${script%/*}/$target ;;
  esac
done
package=$(CDPATH='' cd -- "${script%/*}/.." && pwd -P) || exit 1

# Looks for Deno in node_modules of a directory and of those above it, as Node finds packages. The package "deno" has it
# in itself if npm ran its install script, which by default it does not; else it is in the package of the platform, the
# only one that npm installs unless it is forced.
find_deno() {
  at=$1
  while [ -n "$at" ]; do
    for deno in "$at/node_modules/deno/deno" "$at"/node_modules/@deno/*/deno; do
      [ -x "$deno" ] && return
    done
    at=${at%/*}
  done
  return 1
}

find_deno "$package" || {
  # Some package managers keep what a package needs beside where it really is.
  manager=$(CDPATH='' cd -- "${package%/*}/deno" 2>/dev/null && pwd -P) && find_deno "$manager"
} || {
  echo "ally: npm installed no Deno for this system, $(uname -sm)." >&2
  echo 'There is one for Linux with glibc and for macOS, on x64 and arm64; --omit=optional leaves it out.' >&2
  exit 1
}
DENO_NO_UPDATE_CHECK=1 exec "$deno" START_BUNDLE "$package/bundle/main.js" "$@"
