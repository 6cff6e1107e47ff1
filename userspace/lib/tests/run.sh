#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run test programs that print TAP, and count. usage: run.sh NAME=COMMAND...
passed=0 failed=0 skipped=0
for test; do
	name=${test%%=*}
	echo "# $name"
	output=$(timeout 120 sh -c "${test#*=}" 2>&1)
	status=$?
	printf '%s\n' "$output"
	s=$(printf '%s\n' "$output" | grep -ciE '^ok .*# skip')
	p=$(printf '%s\n' "$output" | grep -c '^ok ')
	f=$(printf '%s\n' "$output" | grep -c '^not ok ')
	if ! printf '%s\n' "$output" | grep -q '^1\.\.'; then
		echo "not ok - $name did not finish (status $status)"
		f=$((f + 1))
	fi
	passed=$((passed + p - s)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
