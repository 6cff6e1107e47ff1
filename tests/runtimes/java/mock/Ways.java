// SPDX-License-Identifier: GPL-2.0
// Virtual threads in all the ways they begin, wait and end; what it prints does not depend on who looks.
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;

public class Ways {
	static final Object monitor = new Object();

	static void nap(long ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			System.out.println("interrupted");
		}
	}

	static void light() {
		for (int i = 0; i < 3; i++)
			nap(1);
	}

	static void never() {
	}

	static void waits() {
		nap(1);
		synchronized (monitor) {
			System.out.println("entered");
		}
	}

	static void holds() {
		synchronized (monitor) {
			nap(5);
		}
	}

	static void gives() {
		for (int i = 0; i < 3; i++)
			Thread.yield();
	}

	static void fails() {
		nap(1);
		throw new IllegalStateException("failed");
	}

	static void parent() {
		try {
			Thread.ofVirtual().name("child").start(Ways::light).join();
			Thread.sleep(1);
		} catch (InterruptedException e) {
			throw new RuntimeException(e);
		}
	}

	static Thread start(String name, Runnable task) {
		return Thread.ofVirtual().name(name).start(task);
	}

	static void meet() throws Exception {
		var queue = new SynchronousQueue<Integer>();
		var taker = start("taker", () -> {
			try {
				System.out.println(queue.take() + queue.take());
			} catch (InterruptedException e) {
				throw new RuntimeException(e);
			}
		});
		queue.put(40);
		queue.put(2);
		taker.join();
	}

	static void executor() throws Exception {
		try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
			System.out.println(executor.submit(() -> {
				nap(1);
				return "returned";
			}).get());
		}
	}

	public static void main(String[] args) throws Exception {
		var threads = new Thread[6];
		for (int i = 0; i < 3; i++) {
			threads[i] = start("light-" + i, Ways::light);
			threads[i + 3] = Thread.startVirtualThread(() -> light());
		}
		for (Thread thread : threads)
			thread.join();
		for (int i = 0; i < 2; i++)
			Thread.startVirtualThread(Ways::never).join();
		Thread victim = start("victim", () -> nap(10000));
		victim.interrupt();
		victim.join();
		Thread holds = start("holds", Ways::holds), waits = start("waits", Ways::waits);
		holds.join();
		waits.join();
		start("gives", Ways::gives).join();
		start("fails", Ways::fails).join();
		start("parent", Ways::parent).join();
		meet();
		executor();
		System.exit(9);
	}
}
