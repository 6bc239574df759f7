/*
 * Usage: rig ANSWERS_FILE. Prints its URL as JSON, serves the answers on it, and does on standard input:
 *
 *   prepare MODE PORT CONNECTIONS DURATION_MS RATE EVENTS LEAST_BYTES AT_ONCE MOST_REQUESTS TAG_OFFSET REQUEST_BYTES,
 *           then the request
 *   go      runs what was prepared; prints what was measured
 *   look    prints what has become of the streams that `hold` opened
 *   close   closes the connections
 *
 * Modes: `closed` sends the next request when the last one is answered, MOST_REQUESTS of them unless that is 0; `open` sends RATE
 * requests per second, answered or not; `hold` opens a stream per connection and keeps them open: AT_ONCE at a time, and RATE per
 * second unless that is 0.
 */
#include "rig.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 512 };

static int poller;
static Kind commands_kind = KIND_COMMANDS;

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

_Noreturn void die(const char *what) {
  fprintf(stderr, "rig: ");
  perror(what);
  exit(1);
}

void watch(int operation, int fd, uint32_t events, void *target) {
  struct epoll_event event = {.events = events, .data.ptr = target};
  if (epoll_ctl(poller, operation, fd, &event) != 0) die("epoll_ctl");
}

void tune(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/** A command comes in one piece, so whoever began to read one may wait for its end. */
static void take_command(void) {
  static char line[512];
  size_t length = 0;
  for (;; length += 1) {
    if (length + 1 == sizeof line) die("a command is too long");
    if (read(0, line + length, 1) != 1) exit(0);
    if (line[length] == '\n') break;
  }
  line[length] = 0;
  if (strcmp(line, "go") == 0) client_go();
  else if (strcmp(line, "look") == 0) client_look();
  else if (strcmp(line, "close") == 0) client_close();
  else if (strncmp(line, "prepare ", 8) == 0) {
    size_t size = strtoul(strrchr(line, ' ') + 1, NULL, 10), taken = 0;
    char *request = malloc(size + 1);
    while (taken < size) {
      ssize_t more = read(0, request + taken, size - taken);
      if (more <= 0) exit(0);
      taken += (size_t)more;
    }
    client_prepare(line, request);
    free(request);
  } else die("not a command");
}

static void dispatch(struct epoll_event *event) {
  switch (*(Kind *)event->data.ptr) {
  case KIND_COMMANDS:
    take_command();
    break;
  case KIND_LISTENER:
    provider_accept();
    break;
  case KIND_UPSTREAM:
    provider_event(event->data.ptr, event->events);
    break;
  case KIND_CLIENT:
    client_event(event->data.ptr, event->events);
    break;
  }
}

static int wait_until(double until, struct epoll_event *events) {
  double left = until - now();
  if (left < 0) left = 0;
  if (left > 3600) left = 3600;
  struct timespec timeout = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
  return (int)syscall(SYS_epoll_pwait2, poller, events, EVENTS_AT_ONCE, &timeout, NULL, 0);
}

int main(int count, char **words) {
  if (count != 2) {
    fprintf(stderr, "usage: rig ANSWERS_FILE\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  // Generator and provider have a socket each for every stream.
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  // Timers of the kernel may be 50 µs late unless asked otherwise.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  poller = epoll_create1(0);
  provider_load(words[1]);
  int port = provider_listen();
  watch(EPOLL_CTL_ADD, 0, EPOLLIN, &commands_kind);
  printf("{\"url\":\"http://127.0.0.1:%d\"}\n", port);
  fflush(stdout);

  static struct epoll_event events[EVENTS_AT_ONCE];
  double until = 0;
  for (;;) {
    int ready = wait_until(until, events);
    for (int index = 0; index < ready; index += 1) dispatch(&events[index]);
    double at = now();
    double provider_next = provider_tick(at), client_next = client_tick(at);
    until = provider_next < client_next ? provider_next : client_next;
    provider_bury();
  }
}
