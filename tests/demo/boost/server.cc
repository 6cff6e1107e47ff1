// SPDX-License-Identifier: GPL-2.0
/*
 * A small HTTP server on Boost.Fiber: a fiber listens, each connection is a fiber
 * that reads the request, and each request another, of the kind that its path asks
 * for. It knows nothing of coroprof.
 */
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/fiber/all.hpp>

namespace
{

const int PORT = 8080;
const auto SOON = std::chrono::milliseconds(1);

bool quits;

/* Again and again, and meanwhile others run, until the kernel has something. */
template <class CALL> ssize_t patiently(CALL call)
{
	for (;;) {
		ssize_t n = call();

		if (n >= 0 || errno != EAGAIN || quits)
			return n;
		boost::this_fiber::sleep_for(SOON);
	}
}

unsigned long count(unsigned long rounds)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < rounds; i++)
		sum += i;
	return sum;
}

struct cheap {
	std::string &answer;
	void operator()() { answer = std::to_string(count(1000)); }
};

struct heavy {
	std::string &answer;
	void operator()() { answer = std::to_string(count(200000)); }
};

struct waits {
	std::string &answer;
	void operator()()
	{
		boost::this_fiber::sleep_for(std::chrono::milliseconds(5));
		answer = std::to_string(count(1000));
	}
};

std::string handle(const std::string &path)
{
	std::string answer;

	if (path == "/heavy")
		boost::fibers::fiber(heavy{ answer }).join();
	else if (path == "/waits")
		boost::fibers::fiber(waits{ answer }).join();
	else
		boost::fibers::fiber(cheap{ answer }).join();
	quits = path == "/quit";
	return answer;
}

struct connection {
	int fd;

	void operator()()
	{
		char request[4096];
		ssize_t n = patiently([&] { return recv(fd, request, sizeof(request), 0); });
		std::string text(request, n > 0 ? static_cast<size_t>(n) : 0);
		size_t begin = text.find(' ') + 1;

		if (begin) {
			std::string body = handle(text.substr(begin, text.find(' ', begin) - begin)) + "\n";
			std::string answer = "HTTP/1.0 200 OK\r\nContent-Length: " +
					     std::to_string(body.size()) + "\r\n\r\n" + body;
			patiently([&] { return send(fd, answer.data(), answer.size(), 0); });
		}
		close(fd);
	}
};

int listens()
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
	sockaddr_in own{};

	own.sin_family = AF_INET;
	own.sin_port = htons(PORT);
	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, reinterpret_cast<sockaddr *>(&own), sizeof(own)) || listen(fd, 64))
		return -1;
	return fd;
}

} // namespace

int main()
{
	int fd = listens();

	if (fd < 0) {
		perror("server: port 8080");
		return 1;
	}
	while (!quits) {
		ssize_t client = patiently([&] { return accept4(fd, nullptr, nullptr, SOCK_NONBLOCK); });

		if (client >= 0)
			boost::fibers::fiber(connection{ static_cast<int>(client) }).detach();
	}
	return 0;
}
