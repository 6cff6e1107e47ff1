<?php
// SPDX-License-Identifier: GPL-2.0
// Fibers in all the ways they begin, wait and end; what it prints does not depend on who looks.
function light($n) { for ($i = 0; $i < 3; $i++) $n += Fiber::suspend($i); return $n; }
function fails() { throw new Exception("failed"); }
function cleans_up() { try { Fiber::suspend(); } finally { echo "cleaned up\n"; } }
function outer() { $inner = new Fiber('light'); $inner->start(1); Fiber::suspend("between"); $inner->resume(2); return "outer"; }
class Own { function method() { Fiber::suspend(); } static function fixed() {} function __invoke() { Fiber::suspend(); } function __call($n, $a) { Fiber::suspend(); return $n; } }
$f = new Fiber('light'); echo $f->start(1), $f->resume(1), $f->resume(1), "\n"; $f->resume(1); echo $f->getReturn(), "\n";
$f = new Fiber('outer'); echo $f->start(), "\n"; $f->resume(); echo $f->getReturn(), "\n";
try { (new Fiber('fails'))->start(); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
$f = new Fiber('cleans_up'); $f->start(); unset($f);
$f = new Fiber('cleans_up'); $f->start(); try { $f->throw(new Exception("thrown")); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
$f = new Fiber('cleans_up'); unset($f); gc_collect_cycles();
foreach ([[new Own, 'method'], 'Own::fixed', new Own, [new Own, 'magic'], fn() => Fiber::suspend(), 'gc_collect_cycles', strlen(...)] as $c) { $f = new Fiber($c); try { $f->start("x"); if (!$f->isTerminated()) $f->resume(); } catch (Error $e) { echo $e->getMessage(), "\n"; } }
function gen() { foreach ([1, 2] as $x) { Fiber::suspend(); yield $x; } }
$f = new Fiber(function () { foreach (gen() as $x) echo $x, "\n"; }); $f->start(); $f->resume(); $f->resume();
try { $f->resume(); } catch (FiberError $e) { echo $e->getMessage(), "\n"; }
$f = new Fiber(function () { exit(9); });
$last = new Fiber('cleans_up'); $last->start();
$f->start();
