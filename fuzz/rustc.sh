#!/bin/sh
# RUSTC_WRAPPER of `cargo xtask fuzz` for runs of seconds: coverage for the crates of this repository alone. Other people's
# are those that the tests of the main workspace have built, without.
case "$CARGO_MANIFEST_DIR" in
"$TRUNKLINE_COVERED"/*) ;;
*) exec "$@" ;;
esac
case " $* " in
*" --crate-name build_script_build "*) exec "$@" ;;
esac
# Options without spaces, one after another.
# shellcheck disable=SC2086
exec "$@" $TRUNKLINE_COVERAGE
