# SPDX-License-Identifier: GPL-2.0
# Reads KTAP: see tests/vm/ktap. Nesting shows as a longer prefix, of '# ' (kselftest's runner) or of spaces (KUnit).
# For each open level: at[level] is the prefix's length; planned[] and seen[] its tests; bad[] its failed leaves.
# Numbers are kept from one file to the next, levels are not.

function fail(text) {
	failed++
	print "FAILED: " file ": " text
}

# Why a test failed stands before its result.
function tell_said(  i) {
	for (i = said > 6 ? said - 5 : 1; i <= said; i++)
		print "  before it: " saying[i]
}

function skip(text) {
	skipped++
	print "skipped: " text
}

function open_level(length_) {
	depth++
	at[depth] = length_
	planned[depth] = -1
	seen[depth] = 0
	bad[depth] = 0
	all_skipped[depth] = 0
}

# Ends the innermost level: its plan must have been met.
function close_level(  count) {
	count = seen[depth]
	if (planned[depth] < 0 && count > 0)
		miss("no plan for " count " results: the log is cut short, or the program died before its end")
	else if (planned[depth] > count)
		miss(count " of " planned[depth] " planned results: the log is cut short, or the program died")
	else if (planned[depth] >= 0 && planned[depth] < count)
		miss(count " results where " planned[depth] " were planned")
	last_count = count + all_skipped[depth]
	last_bad = bad[depth]
	depth--
}

function miss(text) {
	fail(text)
	bad[depth]++
}

function close_down_to(length_) {
	while (depth > 0 && at[depth] > length_) {
		close_level()
		bad[depth] += last_bad
		nested[depth] = last_count
		nested_bad[depth] = last_bad
	}
}

# enter LENGTH: makes the level with that prefix the innermost one.
function enter(length_) {
	close_down_to(length_)
	if (depth == 0 || at[depth] < length_) {
		open_level(length_)
		nested[depth] = 0
		nested_bad[depth] = 0
	}
}

function end_file() {
	if (!any)
		fail("no test result in it")
	while (depth > 0) {
		close_level()
		if (depth > 0)
			bad[depth] += last_bad
	}
}

function result(ok, text,  name, reason, leaf) {
	any = 1
	seen[depth]++
	leaf = nested[depth] == 0
	name = text
	sub(/^[0-9]+[ \t]*/, "", name)
	sub(/^- /, "", name)
	reason = name
	if (match(toupper(name), /(^|[ \t])#[ \t]*(SKIP|XFAIL|TODO)/)) {
		reason = substr(name, RSTART)
		sub(/^[ \t]*/, "", reason)
		name = substr(name, 1, RSTART - 1)
	} else {
		reason = ""
	}
	if (reason ~ /^#[ \t]*[sS][kK][iI][pP]/) {
		if (leaf)
			skip((name != "" ? name : "test " seen[depth]) " " reason)
	} else if (!ok && reason == "") {
		if (leaf || nested_bad[depth] == 0) {
			bad[depth]++
			fail("not ok " text)
			tell_said()
		}
	} else if (leaf) {
		passed++
	}
	nested[depth] = 0
	nested_bad[depth] = 0
	said = 0
}

function plan(text) {
	any = 1
	# A second plan at this level is the next program's, run after the first without a header.
	if (planned[depth] >= 0)
		restart()
	planned[depth] = text + 0
	if (planned[depth] == 0) {
		all_skipped[depth] = 1
		sub(/^[0-9]+[ \t]*/, "", text)
		skip("all of a program: " (text != "" ? text : "no reason given"))
	}
}

function restart(  length_, was_bad) {
	length_ = at[depth]
	close_level()
	was_bad = last_bad
	open_level(length_)
	bad[depth] = was_bad
	nested[depth] = 0
	nested_bad[depth] = 0
}

FNR == 1 {
	if (NR > 1)
		end_file()
	file = FILENAME
	read[file] = 1
	depth = 0
	any = 0
	said = 0
}

{
	sub(/\r+$/, "")
	line = $0
	# The prefix ends where a word of TAP starts; anything else is a message.
	match(line, /^((# )|  )*/)
	prefix = RLENGTH > 0 ? RLENGTH : 0
	rest = substr(line, prefix + 1)
}

rest ~ /^K?TAP version [0-9]+$/ {
	enter(prefix)
	if (seen[depth] > 0 || planned[depth] >= 0)
		restart()
	next
}

rest ~ /^1\.\.[0-9]+([ \t]|$)/ {
	enter(prefix)
	plan(substr(rest, 4))
	next
}

# A result has a number, or, as TAP allows, none; but a message that happens to start with 'ok' is no result.
rest ~ /^(not )?ok( [0-9]+)?([ \t]*$|[ \t]+[-#])/ || rest ~ /^(not )?ok [0-9]+[ \t]/ {
	enter(prefix)
	if (rest ~ /^not/)
		result(0, substr(rest, 8))
	else
		result(1, substr(rest, 4))
	next
}

rest ~ /^Bail out!/ {
	enter(prefix)
	any = 1
	miss(rest)
	next
}

{
	saying[++said] = line
}

END {
	if (NR > 0)
		end_file()
	# awk never comes to the first line of an empty file.
	for (i = 1; i < ARGC; i++) {
		file = ARGV[i]
		if (!(file in read))
			fail("no test result in it")
	}
	print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"
	exit (failed > 0)
}
