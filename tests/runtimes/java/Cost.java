// SPDX-License-Identifier: GPL-2.0
/** What a switch of a virtual thread takes, and one that is started and ends: the least of several tries, in ns. */
public class Cost {
	static final int TRIES = 40, TIMES = 500;

	static void gives() {
		for (int i = 0; i < TIMES; i++)
			Thread.yield();
	}

	static void nothing() {
	}

	interface Starts {
		Thread start(Runnable task) throws Exception;
	}

	static void measure(String name, int each, Runnable task, int threads, Starts starts) throws Exception {
		long least = Long.MAX_VALUE;

		for (int i = 0; i < TRIES; i++) {
			long begin = System.nanoTime();
			for (int j = 0; j < threads; j++)
				starts.start(task).join();
			least = Math.min(least, System.nanoTime() - begin);
		}
		System.out.println(name + " " + least / each);
	}

	public static void main(String[] args) throws Exception {
		Starts named = (task) -> Known.start("cost", task);

		measure("switch", TIMES, Cost::gives, 1, named);
		measure("thread", TIMES, Cost::nothing, TIMES, named);
		measure("unnamed", TIMES, Cost::nothing, TIMES, (task) -> Known.start("", task));
	}
}
