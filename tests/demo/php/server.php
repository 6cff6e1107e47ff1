<?php
// SPDX-License-Identifier: GPL-2.0
// A server of PHP without extensions: each connection is a fiber, which gives way until its socket, or its time, is there.
// It knows nothing of coroprof.
declare(strict_types=1);

final class Loop
{
	/** @var array<int, array{resource, Fiber}> */
	private array $readers = [];
	/** @var list<array{float, Fiber}> */
	private array $timers = [];
	public bool $ends = false;

	public function readable($stream): void
	{
		$this->readers[(int)$stream] = [$stream, Fiber::getCurrent()];
		Fiber::suspend();
	}

	public function sleep(float $seconds): void
	{
		$this->timers[] = [microtime(true) + $seconds, Fiber::getCurrent()];
		Fiber::suspend();
	}

	public function run(): void
	{
		while (!$this->ends) {
			$this->wait();
			$this->fire();
		}
	}

	private function wait(): void
	{
		$streams = array_column($this->readers, 0);
		$none = null;
		$left = $this->timers ? max(0, min(array_column($this->timers, 0)) - microtime(true)) : 1;
		if (!stream_select($streams, $none, $none, (int)$left, (int)(fmod($left, 1) * 1e6)))
			return;
		foreach ($streams as $stream) {
			$fiber = $this->readers[(int)$stream][1];
			unset($this->readers[(int)$stream]);
			$fiber->resume();
		}
	}

	private function fire(): void
	{
		$now = microtime(true);
		foreach ($this->timers as $i => [$due, $fiber])
			if ($due <= $now) {
				unset($this->timers[$i]);
				$fiber->resume();
			}
	}
}

function digest(int $times): string
{
	$data = '';
	for ($i = 0; $i < $times; $i++)
		$data = hash('sha256', $data);
	return $data;
}

function cheap(Loop $loop, $stream): void
{
	answer($stream, digest(1));
}

function heavy(Loop $loop, $stream): void
{
	answer($stream, digest(2000));
}

function waits(Loop $loop, $stream): void
{
	$loop->sleep(0.005);
	answer($stream, 'waited');
}

function quits(Loop $loop, $stream): void
{
	answer($stream, 'bye');
	$loop->ends = true;
}

function answer($stream, string $body): void
{
	fwrite($stream, "HTTP/1.0 200 OK\r\nContent-Length: " . strlen($body) . "\r\n\r\n" . $body);
	fclose($stream);
}

/** Reads the request, and has a fiber of its own do what it asks for. */
function connection(Loop $loop, $stream): void
{
	$loop->readable($stream);
	$path = explode(' ', (string)fgets($stream))[1] ?? '/';
	$handlers = ['/cheap' => cheap(...), '/heavy' => heavy(...), '/waits' => waits(...), '/quit' => quits(...)];
	$handler = $handlers[$path] ?? cheap(...);
	(new Fiber($handler))->start($loop, $stream);
}

function accepts(Loop $loop, $server): void
{
	for (;;) {
		$loop->readable($server);
		if ($stream = stream_socket_accept($server, 0))
			(new Fiber(connection(...)))->start($loop, $stream);
	}
}

$loop = new Loop();
(new Fiber(accepts(...)))->start($loop, stream_socket_server('tcp://127.0.0.1:8080'));
$loop->run();
