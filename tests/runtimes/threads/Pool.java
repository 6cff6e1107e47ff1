// SPDX-License-Identifier: GPL-2.0
// An executor of Java, with names of its own.
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

class Pool {
	static volatile long sum;

	static void work() {
		long x = 1;
		for (int i = 0; i < 20_000_000; i++) x = x * 6364136223846793005L + 1;
		sum += x;
	}

	public static void main(String[] args) throws Exception {
		var pool = Executors.newFixedThreadPool(2, task -> new Thread(task, "cooks"));
		for (int i = 0; i < 6; i++) pool.submit(Pool::work);
		pool.shutdown();
		pool.awaitTermination(1, TimeUnit.HOURS);
		System.exit(7);
	}
}
