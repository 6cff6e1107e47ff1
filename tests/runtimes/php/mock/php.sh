#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Fibers of PHP, as the mock of the module is told of them; with the JIT compiler, too.
# usage: php.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/php.log

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

births() {
	count "^switch .* FRESH .* $1@"
}

# look HOW OPTION...: of PHP with these options
look() {
	how=$1
	shift
	keep "$log.plain" php "$@" php.php
	rm -f "$log"
	keep "$log.recorded" env MOCK_RECORD=1 MOCK_LOG="$log" LD_PRELOAD="$mock:$preload" php "$@" php.php
	cmp -s "$log.plain" "$log.recorded"
	result $? "$how: the same output and exit status when recorded"
	equal "$how: each fiber that has begun is a coroutine" "$(births light) $(births outer) $(births fails) $(births cleans_up)" '2 1 1 3'
	equal "$how: whoever began it is its parent" "$(count '^switch .* parent=[1-9][0-9]* FRESH .* light@')" 1
	equal "$how: methods, objects and closures have their names" \
		"$(births Own::method) $(births Own::fixed) $(births Own::__invoke) $(count '^switch .* FRESH .* gc_collect_cycles')" '1 1 1 1'
	equal "$how: all have ended" "$(count '^switch .* END ')" \
		"$(grep -E '^switch .* FRESH ' "$log" | grep -vcE '\(coroprof\)|\(thread')"
	equal "$how: it is called by its function, file and line" "$(grep -oE ' light@.*' "$log" | sort -u)" \
		" light@$PWD/php.php:$(grep -n 'function light' php.php | cut -d: -f1)"
}

if php -r 'exit((int)(PHP_VERSION_ID < 80200));' 2>/dev/null; then
	look php
	look 'php -n' -n
	look 'with JIT' -d opcache.enable_cli=1 -d opcache.jit=tracing -d opcache.jit_buffer_size=64M
	php -n -r 'echo getenv("PHP_INI_SCAN_DIR") ?: "none", "\n";' >"$log.plain"
	LD_PRELOAD=$preload php -n -r 'echo getenv("PHP_INI_SCAN_DIR") ?: "none", "\n";' >"$log.recorded"
	cmp -s "$log.plain" "$log.recorded"
	result $? 'the environment is as it was'
else
	skip php "no php of 8.2 or later"
fi
finish
