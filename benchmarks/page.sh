#!/bin/sh
# A page of results: a title, then each script's output under the command that printed it.
set -eu
echo "# $1"
shift
for script in "$@"; do
  printf '\n`python %s`\n\n' "$script"
  # shellcheck disable=SC2086
  "${PYTHON:-python}" $script
done
