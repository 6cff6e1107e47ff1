<?php
// SPDX-License-Identifier: GPL-2.0
// Fibers whose work is known: COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS times. One waits while the
// program sleeps; one fails; one is given up, and works as it cleans up; one resumes another; one runs in a forked child.
// It knows nothing of coroprof.
const COUNT = 4, TURNS = 5, UNIT = 50000, NAP_US = 2000;
$ffi = FFI::cdef('void rounds_of(unsigned long count);', __DIR__ . '/spin.so');

function work($units) { global $ffi; $ffi->rounds_of($units * UNIT); }

function turns($units)
{
	for ($i = 0; $i < TURNS; $i++) {
		work($units);
		Fiber::suspend();
	}
	return $units;
}

function light() { return turns(1); }
function middle() { return turns(5); }
function heavy() { return turns(20); }
function naps() { for ($i = 0; $i < TURNS; $i++) Fiber::suspend(); }
function fails() { work(5); throw new Exception('failed'); }
function given_up() { try { Fiber::suspend(); } finally { work(5); } }
function inner() { work(5); Fiber::suspend(); work(5); }
function outer() { $inner = new Fiber('inner'); work(1); $inner->start(); work(1); Fiber::suspend(); $inner->resume(); }
function forked() { work(5); }

$all = [];
for ($i = 0; $i < COUNT; $i++)
	foreach (['light', 'middle', 'heavy'] as $kind)
		$all[] = new Fiber($kind);
foreach ($all as $fiber)
	$fiber->start();
$done = 0;
while ($all) {
	foreach ($all as $key => $fiber) {
		$fiber->resume();
		if ($fiber->isTerminated()) {
			$done += $fiber->getReturn();
			unset($all[$key]);
		}
	}
}
unset($fiber);
echo $done, "\n";
$fiber = new Fiber('naps');
$fiber->start();
for ($i = 0; $i < TURNS; $i++) {
	usleep(NAP_US);
	$fiber->resume();
}
try {
	(new Fiber('fails'))->start();
} catch (Exception $error) {
	echo $error->getMessage(), "\n";
}
$fiber = new Fiber('given_up');
$fiber->start();
unset($fiber);
$fiber = new Fiber('outer');
$fiber->start();
$fiber->resume();
if (function_exists('pcntl_fork')) {
	$child = pcntl_fork();
	if (!$child) {
		(new Fiber('forked'))->start();
		exit(5);
	}
	pcntl_waitpid($child, $status);
	echo pcntl_wexitstatus($status), "\n";
}
exit(7);
