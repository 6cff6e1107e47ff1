// SPDX-License-Identifier: GPL-2.0
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;

/** The JDK's own HTTP server, each request on a virtual thread. It knows nothing of coroprof. */
public class Server {
	static void answer(HttpExchange exchange, String text) throws IOException {
		byte[] bytes = (text + "\n").getBytes();

		exchange.sendResponseHeaders(200, bytes.length);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

	static void cheap(HttpExchange exchange) throws IOException {
		answer(exchange, "cheap");
	}

	static void heavy(HttpExchange exchange) throws IOException {
		int sum = 0;

		for (int i = 0; i < 20000; i++)
			sum = sum * 31 + i;
		answer(exchange, "heavy " + sum);
	}

	static void waits(HttpExchange exchange) throws IOException {
		try {
			Thread.sleep(5);
		} catch (InterruptedException e) {
			throw new IOException(e);
		}
		answer(exchange, "waited");
	}

	public static void main(String[] args) throws Exception {
		HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 8080), 0);

		server.setExecutor((ExecutorService)
			Class.forName("java.util.concurrent.Executors").getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
		server.createContext("/cheap", Server::cheap);
		server.createContext("/heavy", Server::heavy);
		server.createContext("/waits", Server::waits);
		server.createContext("/quit", exchange -> {
			answer(exchange, "quit");
			System.exit(3);
		});
		server.start();
	}
}
