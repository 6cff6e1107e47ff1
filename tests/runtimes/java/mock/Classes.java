// SPDX-License-Identifier: GPL-2.0
// Virtual threads without names that never wait, each with a task of another class, which is unloaded soon: so each has to
// be called by its own. Others have names, and begin where others have ended. Prints how many classes were unloaded.
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

public class Classes {
	static final int CLASSES = 900, TIMES = 2, NAMED = 300;

	public static class Task0000 implements Runnable {
		public void run() {
		}
	}

	/** Of a class that is called Task0001 or so: Task0000 by that name. */
	static Runnable task(byte[] bytes, String name) throws Exception {
		var text = new String(bytes, StandardCharsets.ISO_8859_1).replace("Task0000", name);
		var of = text.getBytes(StandardCharsets.ISO_8859_1);
		var loader = new ClassLoader(Classes.class.getClassLoader()) {
			Class<?> define() {
				return defineClass("Classes$" + name, of, 0, of.length);
			}
		};

		return (Runnable)loader.define().getConstructor().newInstance();
	}

	public static void main(String[] args) throws Exception {
		byte[] bytes;

		try (var file = Classes.class.getResourceAsStream("Classes$Task0000.class")) {
			bytes = file.readAllBytes();
		}
		for (int i = 1; i <= CLASSES; i++) {
			var task = task(bytes, String.format("Task%04d", i));

			for (int j = 0; j < TIMES; j++)
				Thread.startVirtualThread(task).join();
			try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
				executor.submit(task).get();
			}
			if (i % 100 == 0)
				System.gc();
		}
		for (int i = 0; i < NAMED; i++)
			Thread.ofVirtual().name((i % 2 == 0 ? "even-" : "odd-") + i).start(() -> {}).join();
		System.out.println(ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
	}
}
