#include "rig.h"
#include "response.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BYTES = 262144, TAG_DIGITS = 6, MOST_FAILURES = 10000 };

/** How long answers may take after the last request was sent, and streams to open, before they count as failed. */
static const double DRAIN_S = 30, OPEN_LIMIT_S = 60;

typedef enum { CLOSED_LOOP, OPEN_LOOP, HOLD } Mode;
typedef enum { UNCONNECTED, CONNECTING, IDLE, BUSY, HELD } State;

typedef struct {
  Kind kind;
  int fd;
  State state;
  unsigned index;
  /** How much of the request the socket has taken. */
  size_t sent;
  double since;
  bool begun;
  Response response;
  Upstream *upstream;
} Client;

typedef struct {
  Mode mode;
  int port;
  int connections;
  double duration_s;
  double rate;
  Expectation expected;
  int at_once;
  /** In a closed loop; 0: as many as the time allows. */
  unsigned long most_requests;
  long tag_offset;
  size_t request_bytes;
} Job;

typedef struct {
  unsigned long requests, failures, events, reads, in_time, events_in_time, opened, refused;
  char first_failure[400];
  double last_opened;
  Histogram latency, first_byte, lateness;
} Counts;

static Job job;
static char *request;
static Client *clients;
/** Of the job before: events of this round may still point to them. */
static Client *dropped;
static int *idle, idle_count;
static bool running, prepared;
static int connected, busy, next_to_open;
static double begun_at, deadline;
static unsigned long due_count, sent_count;
static Counts counts;

/** What became of the streams that are held. */
static struct {
  unsigned long lost, events;
  char first_loss[400];
  Histogram delay;
} held;
static char buffer[READ_BYTES];

static void connect_client(Client *client) {
  client->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (client->fd < 0) die("socket");
  tune(client->fd);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)job.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  client->state = CONNECTING;
  // A refused connection is reported by the event that follows.
  if (connect(client->fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS) die("connect");
  watch(EPOLL_CTL_ADD, client->fd, EPOLLOUT, client);
}

static void disconnect(Client *client) {
  if (client->fd >= 0) close(client->fd);
  client->fd = -1;
  client->state = UNCONNECTED;
  if (client->upstream != NULL) provider_forget(client->upstream);
  client->upstream = NULL;
}

static void drop_job(void) {
  for (int index = 0; clients != NULL && index < job.connections; index += 1) disconnect(&clients[index]);
  free(dropped);
  free(idle);
  dropped = clients;
  clients = NULL;
  idle = NULL;
  running = prepared = false;
}

/** Buckets that hold something follow as pairs of number and count, so that those of several jobs can be added up. */
static void print_histogram(const char *name, const Histogram *of) {
  printf(",\"%s\":{\"p50\":%lu,\"p99\":%lu,\"buckets\":[", name, histogram_percentile(of, 0.5), histogram_percentile(of, 0.99));
  bool first = true;
  for (int bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket += 1) {
    if (of->counts[bucket] == 0) continue;
    printf("%s%d,%lu", first ? "" : ",", bucket, of->counts[bucket]);
    first = false;
  }
  printf("]}");
}

/** What another side said, so that it can stand in a string of JSON. */
static const char *printable(char *text) {
  for (char *at = text; *at != 0; at += 1)
    if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\') *at = ' ';
  return text;
}

void client_look(void) {
  printf("{\"lost\":%lu,\"firstLoss\":\"%s\",\"events\":%lu", held.lost, printable(held.first_loss), held.events);
  print_histogram("delayMicros", &held.delay);
  printf("}\n");
  fflush(stdout);
}

static void report(void) {
  running = false;
  printf("{\"requests\":%lu,\"failures\":%lu,\"firstFailure\":\"%s\",\"events\":%lu,\"reads\":%lu,\"inTime\":%lu,\"eventsInTime\":%lu,",
         counts.requests, counts.failures, printable(counts.first_failure), counts.events, counts.reads, counts.in_time, counts.events_in_time);
  printf("\"durationMs\":%.3f,\"elapsedMs\":%.3f,\"opened\":%lu,\"refused\":%lu,\"openedMs\":%.3f,\"unknownRequests\":%lu",
         job.duration_s * 1000, (now() - begun_at) * 1000, counts.opened, counts.refused,
         counts.opened == 0 ? 0 : (counts.last_opened - begun_at) * 1000, provider_unknown());
  print_histogram("latencyMicros", &counts.latency);
  print_histogram("firstByteMicros", &counts.first_byte);
  print_histogram("latenessMicros", &counts.lateness);
  printf("}\n");
  fflush(stdout);
}

static void count_failure(const char *problem) {
  counts.failures += 1;
  if (counts.first_failure[0] == 0) snprintf(counts.first_failure, sizeof counts.first_failure, "%s", problem);
}

static void lose(Client *client, const char *problem);

/** Hands the request, or what is left of it, to the socket. */
static void push_request(Client *client) {
  if (job.tag_offset >= 0) {
    char tag[TAG_DIGITS + 1];
    snprintf(tag, sizeof tag, "%06u", client->index % 1000000);
    memcpy(request + job.tag_offset, tag, TAG_DIGITS);
  }
  ssize_t taken = send(client->fd, request + client->sent, job.request_bytes - client->sent, MSG_NOSIGNAL);
  if (taken < 0 && errno != EAGAIN) {
    lose(client, "the connection was closed before the request was sent");
    return;
  }
  bool partly = client->sent > 0;
  if (taken > 0) client->sent += (size_t)taken;
  bool rest = client->sent < job.request_bytes;
  if (rest || partly) watch(EPOLL_CTL_MOD, client->fd, EPOLLIN | (rest ? EPOLLOUT : 0), client);
}

static void send_request(Client *client, double since) {
  client->state = BUSY;
  client->sent = 0;
  client->since = since;
  client->begun = false;
  response_begin(&client->response);
  busy += 1;
  push_request(client);
}

static bool all_sent(void) { return job.most_requests > 0 && sent_count >= job.most_requests; }

static double due_at(unsigned long number) { return begun_at + (double)number / job.rate; }

static void send_due(double at) {
  while (idle_count > 0 && sent_count < due_count && due_at(sent_count) <= at) {
    double due = due_at(sent_count);
    sent_count += 1;
    histogram_record(&counts.lateness, (now() - due) * 1e6);
    send_request(&clients[idle[--idle_count]], due);
  }
}

static void open_more(void) {
  int opening = next_to_open - (int)(counts.opened + counts.refused);
  double at = now();
  for (; next_to_open < job.connections && opening < job.at_once; opening += 1) {
    if (job.rate > 0 && due_at((unsigned long)next_to_open) > at) return;
    connect_client(&clients[next_to_open++]);
  }
}

/** What a connection does that has nothing to do. */
static void put_to_work(Client *client) {
  client->state = IDLE;
  double at = now();
  if (!running) return;
  if (job.mode == HOLD) send_request(client, begun_at);
  else if (job.mode == CLOSED_LOOP && at < deadline && !all_sent()) {
    sent_count += 1;
    send_request(client, at);
  }
  else if (job.mode == OPEN_LOOP) {
    idle[idle_count++] = (int)client->index;
    send_due(at);
  }
}

static bool wants_more(void) {
  return running && job.mode != HOLD && (job.mode == OPEN_LOOP || (now() < deadline && !all_sent()));
}

static void count_loss(const char *problem) {
  held.lost += 1;
  if (held.first_loss[0] == 0) snprintf(held.first_loss, sizeof held.first_loss, "%s", problem);
}

/** The connection is gone and with it the answer that was under way. */
static void lose(Client *client, const char *problem) {
  if (client->state == HELD) count_loss(problem);
  if (client->state == HELD || !running) {
    disconnect(client);
    return;
  }
  if (client->state == BUSY) busy -= 1;
  counts.requests += 1;
  count_failure(problem);
  disconnect(client);
  if (job.mode == HOLD) {
    counts.refused += 1;
    open_more();
  } else if (wants_more() && counts.failures < MOST_FAILURES) connect_client(client);
}

/** The answer is complete. */
static void finish(Client *client) {
  double at = now();
  const char *problem = response_problem(&client->response, &job.expected);
  if (client->upstream != NULL) provider_forget(client->upstream);
  client->upstream = NULL;
  if (!running) return;
  busy -= 1;
  counts.requests += 1;
  if (problem != NULL) count_failure(problem);
  histogram_record(&counts.latency, (at - client->since) * 1e6);
  if (at <= deadline) counts.in_time += 1;
  if (job.mode == HOLD) {
    counts.refused += 1;
    if (problem == NULL) count_failure("a stream ended that was to stay open");
    disconnect(client);
    open_more();
  } else if (client->response.closes) {
    disconnect(client);
    if (wants_more()) connect_client(client);
  } else put_to_work(client);
}

/** Something of the body has arrived. */
static void progress(Client *client, int events) {
  if (client->state == BUSY && !client->begun) {
    client->begun = true;
    double at = now();
    histogram_record(&counts.first_byte, (at - client->since) * 1e6);
    if (job.mode == HOLD && client->response.status == 200) {
      client->state = HELD;
      busy -= 1;
      counts.opened += 1;
      counts.last_opened = at;
      open_more();
    }
  }
  if (client->state == HELD && events > 0) {
    held.events += (unsigned long)events;
    if (client->upstream != NULL) histogram_record(&held.delay, (now() - provider_sent_at(client->upstream)) * 1e6);
  }
  if (running && events > 0) {
    counts.events += (unsigned long)events;
    if (now() <= deadline) counts.events_in_time += (unsigned long)events;
  }
  if (client->upstream != NULL) provider_arrived(client->upstream);
}

static void receive(Client *client) {
  ssize_t received = recv(client->fd, buffer, sizeof buffer, 0);
  if (received < 0 && errno == EAGAIN) return;
  if (received <= 0) {
    if (client->state == BUSY && received == 0 && response_ends_with_connection(&client->response)) {
      finish(client);
      return;
    }
    if (client->state == IDLE && running) {
      // Nothing was asked: the other side may close, and the next request needs another connection.
      for (int at = 0; at < idle_count; at += 1)
        if (idle[at] == (int)client->index) idle[at--] = idle[--idle_count];
      disconnect(client);
      connect_client(client);
      return;
    }
    lose(client, client->response.status == 0 ? "the connection was closed without an answer" : "the connection was closed in mid-answer");
    return;
  }
  counts.reads += 1;
  if (client->state != BUSY && client->state != HELD) return;
  Taken taken = response_take(&client->response, buffer, (size_t)received);
  if (taken.wrong != NULL) {
    lose(client, taken.wrong);
    return;
  }
  if (taken.body) progress(client, taken.events);
  if (!taken.complete) return;
  if (client->state == BUSY) finish(client);
  else {
    count_loss("a stream ended that was to stay open");
    disconnect(client);
  }
}

static void become_prepared(void) {
  prepared = true;
  printf("{\"ready\":true}\n");
  fflush(stdout);
}

static void become_connected(Client *client) {
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) {
    if (prepared) {
      lose(client, "the connection was refused");
      return;
    }
    printf("{\"error\":\"port %d: %s\"}\n", job.port, strerror(error));
    fflush(stdout);
    drop_job();
    return;
  }
  watch(EPOLL_CTL_MOD, client->fd, EPOLLIN, client);
  if (prepared) {
    put_to_work(client);
    return;
  }
  client->state = IDLE;
  connected += 1;
  if (connected == job.connections) become_prepared();
}

void client_event(void *target, uint32_t events) {
  Client *client = target;
  // An earlier event of this round may have closed it.
  if (client->fd < 0) return;
  if (client->state == CONNECTING) {
    become_connected(client);
    return;
  }
  if (events & EPOLLOUT && client->state == BUSY) push_request(client);
  if (client->fd >= 0 && events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(client);
}

void client_prepare(const char *line, const char *bytes) {
  drop_job();
  char mode[16];
  memset(&job, 0, sizeof job);
  double duration_ms;
  if (sscanf(line, "prepare %15s %d %d %lf %lf %d %ld %d %lu %ld %zu", mode, &job.port, &job.connections, &duration_ms, &job.rate,
             &job.expected.events, &job.expected.least_bytes, &job.at_once, &job.most_requests, &job.tag_offset,
             &job.request_bytes) != 11)
    die("not a job");
  job.mode = mode[0] == 'c' ? CLOSED_LOOP : mode[0] == 'o' ? OPEN_LOOP : HOLD;
  job.duration_s = duration_ms / 1000;
  request = realloc(request, job.request_bytes);
  memcpy(request, bytes, job.request_bytes);
  clients = calloc((size_t)job.connections, sizeof(Client));
  idle = calloc((size_t)job.connections, sizeof(int));
  connected = busy = idle_count = next_to_open = 0;
  sent_count = 0;
  memset(&counts, 0, sizeof counts);
  memset(&held, 0, sizeof held);
  for (int index = 0; index < job.connections; index += 1) {
    clients[index].kind = KIND_CLIENT;
    clients[index].fd = -1;
    clients[index].index = (unsigned)index;
    if (job.mode != HOLD) connect_client(&clients[index]);
  }
  if (job.mode == HOLD) become_prepared();
}

void client_go(void) {
  running = true;
  begun_at = now();
  deadline = begun_at + (job.mode == HOLD ? OPEN_LIMIT_S : job.duration_s);
  due_count = job.mode == OPEN_LOOP ? (unsigned long)(job.rate * job.duration_s + 0.5) : 0;
  if (job.mode == HOLD) open_more();
  else
    for (int index = job.connections - 1; index >= 0; index -= 1) put_to_work(&clients[index]);
}

void client_close(void) {
  drop_job();
  printf("{\"closed\":true}\n");
  fflush(stdout);
}

static void give_up_on_the_rest(void) {
  for (int index = 0; index < job.connections; index += 1) {
    Client *client = &clients[index];
    if (client->state != BUSY && !(job.mode == HOLD && client->state == CONNECTING)) continue;
    counts.requests += 1;
    if (job.mode == HOLD) counts.refused += 1;
    count_failure("no answer in time");
    disconnect(client);
  }
}

static bool complete(void) {
  if (counts.failures >= MOST_FAILURES) return busy == 0;
  if (job.mode == HOLD) return counts.opened + counts.refused >= (unsigned long)job.connections;
  if (job.mode == OPEN_LOOP) return sent_count == due_count && busy == 0;
  return (now() >= deadline || all_sent()) && busy == 0;
}

double client_tick(double at) {
  if (!running) return 1e18;
  if (job.mode == OPEN_LOOP) send_due(at);
  if (job.mode == HOLD) open_more();
  double limit = deadline + (job.mode == HOLD ? 0 : DRAIN_S);
  if (complete()) {
    report();
    return 1e18;
  }
  if (at >= limit) {
    give_up_on_the_rest();
    report();
    return 1e18;
  }
  if (job.mode == OPEN_LOOP && sent_count < due_count && idle_count > 0) return due_at(sent_count);
  if (job.mode == HOLD && job.rate > 0 && next_to_open < job.connections) {
    double due = due_at((unsigned long)next_to_open);
    return due > at ? due : limit;
  }
  return job.mode == CLOSED_LOOP && at < deadline ? deadline : limit;
}

bool client_bind(unsigned tag, Upstream *upstream) {
  if (clients == NULL || tag >= (unsigned)job.connections) return false;
  Client *client = &clients[tag];
  if (client->state != BUSY || client->upstream != NULL) return false;
  client->upstream = upstream;
  return true;
}

void client_unbind(unsigned tag, Upstream *upstream) {
  if (clients != NULL && tag < (unsigned)job.connections && clients[tag].upstream == upstream) clients[tag].upstream = NULL;
}
