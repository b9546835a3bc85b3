#!/bin/sh
# Takes the place of the Supabase CLI: writes down each call with the version of its tree, and fails when the test says so.
tree=.
call=
for argument; do
  case $argument in
    --workdir=*) tree=${argument#--workdir=} ;;
    *) call="$call $argument" ;;
  esac
done
call="$(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' "$tree/package.json")$call"
echo "$call" >> "$STAND_IN_LOG"
echo "stand-in $STAND_IN_SECRET"
if echo "$call" | grep -Eq -- "${STAND_IN_FAILS:-^$}"; then exit 1; fi
