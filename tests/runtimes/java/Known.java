// SPDX-License-Identifier: GPL-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;

/**
 * Virtual threads whose work is known: COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS times, and sleep in
 * between. One sleeps alone, one waits for another thread that works. One is interrupted, one fails, one has no name,
 * one is an executor's, one waits for a monitor, and one starts others. It knows nothing of coroprof.
 */
public class Known {
	static final int COUNT = 4, TURNS = 5, NAP = 2;
	static final long UNIT = 200000;
	static final Object monitor = new Object();

	static native void spin(long turns);

	static void work(int units) {
		spin(units * UNIT);
	}

	static void turns(int units) {
		try {
			for (int i = 0; i < TURNS; i++) {
				work(units);
				Thread.sleep(NAP);
			}
		} catch (InterruptedException e) {
			throw new RuntimeException(e);
		}
	}

	static void light() {
		turns(1);
	}

	static void middle() {
		turns(5);
	}

	static void heavy() {
		turns(20);
	}

	static void naps() {
		try {
			for (int i = 0; i < TURNS; i++)
				Thread.sleep(NAP);
		} catch (InterruptedException e) {
			throw new RuntimeException(e);
		}
	}

	static void unnamed() {
		turns(5);
	}

	static void interrupted() {
		try {
			Thread.sleep(1000000);
		} catch (InterruptedException e) {
			work(5);
			System.out.println("interrupted");
		}
	}

	static void fails() {
		work(5);
		throw new IllegalStateException("failed");
	}

	static void monitors() {
		synchronized (monitor) {
			work(5);
		}
	}

	/** What starts a virtual thread, in words that the compiler of Java 17 knows. */
	static Thread start(String name, Runnable task) throws Exception {
		Class<?> type = Class.forName("java.lang.Thread$Builder");
		Object builder = Thread.class.getMethod("ofVirtual").invoke(null);

		if (name != null)
			type.getMethod("name", String.class).invoke(builder, name);
		return (Thread) type.getMethod("start", Runnable.class).invoke(builder, task);
	}

	static Thread[] kinds() throws Exception {
		List<Thread> threads = new ArrayList<>();

		for (int i = 0; i < COUNT; i++) {
			threads.add(start("light-" + i, Known::light));
			threads.add(start("middle-" + i, Known::middle));
			threads.add(start("heavy-" + i, Known::heavy));
		}
		return threads.toArray(new Thread[0]);
	}

	static void starts() {
		try {
			for (Thread thread : kinds())
				thread.join();
		} catch (Exception e) {
			throw new RuntimeException(e);
		}
	}

	static void sleepUntil(Thread thread, Thread.State state) {
		while (thread.getState() != state)
			Thread.yield();
	}

	static void waits() throws Exception {
		CountDownLatch latch = new CountDownLatch(1);
		Thread waiter = start("waits", () -> {
			try {
				latch.await();
			} catch (InterruptedException e) {
				throw new RuntimeException(e);
			}
		});

		sleepUntil(waiter, Thread.State.WAITING);
		work(20);
		latch.countDown();
		waiter.join();
	}

	static void interrupts() throws Exception {
		Thread victim = start("interrupted", Known::interrupted);

		sleepUntil(victim, Thread.State.TIMED_WAITING);
		victim.interrupt();
		victim.join();
	}

	static void enters() throws Exception {
		Thread thread;

		synchronized (monitor) {
			thread = start("monitors", Known::monitors);
			sleepUntil(thread, Thread.State.BLOCKED);
			work(20);
		}
		thread.join();
	}

	static void submits() throws Exception {
		ExecutorService executor = (ExecutorService)
			Class.forName("java.util.concurrent.Executors").getMethod("newVirtualThreadPerTaskExecutor").invoke(null);

		System.out.println(executor.submit(() -> {
			turns(5);
			return "submitted";
		}).get());
		executor.shutdown();
	}

	public static void main(String[] args) throws Exception {
		System.load(args[0]);
		start("naps", Known::naps).join();
		waits();
		interrupts();
		enters();
		start("fails", Known::fails).join();
		start(null, Known::unnamed).join();
		submits();
		start("starts", Known::starts).join();
		System.out.println("done");
		System.exit(7);
	}
}
