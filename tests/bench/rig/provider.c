#include "rig.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/** A request beyond this is answered with 413. */
enum { IN_BYTES = 65536, MAX_ANSWERS = 64, MAX_FIELDS = 4 };

/**
 * How long a stream waits for its last event to arrive before it sends the next one all the same: not every event of a
 * provider becomes one for the client, when a gateway translates.
 */
static const double STALL_S = 0.010;

/** The end of a stream comes in one go, as providers send it; a gateway may hold it back until it has all of it. */
enum { TAIL_FRAMES = 3 };

typedef struct {
  char *bytes;
  size_t length;
} Frame;

typedef struct {
  char key[64];
  char value[128];
} Field;

/** What is sent when the request line contains `path` and the body has all the fields. The first one that fits is taken. */
typedef struct {
  char path[256];
  Field fields[MAX_FIELDS];
  int field_count;
  /** Seconds between frames; 0: the next one leaves when the last one has arrived. */
  double every_s;
  Frame *frames;
  int frame_count;
} Answer;

typedef struct Queue {
  Upstream *first, *last;
} Queue;

struct Upstream {
  Kind kind;
  int fd;
  char *in;
  size_t in_length;
  const Answer *answer;
  int next_frame;
  /** How much of the next frame the socket has taken. */
  size_t sent;
  bool blocked;
  unsigned tag;
  bool bound;
  double due;
  double sent_at;
  Queue *queue;
  Upstream *before, *after;
};

static Answer answers[MAX_ANSWERS];
static int answer_count;
static int listener = -1;
static Kind listener_kind = KIND_LISTENER;
static Queue gated, paced;
static Upstream *buried;
static unsigned long unknown_requests;

static void line_of(FILE *file, char *line, size_t room) {
  if (fgets(line, (int)room, file) == NULL) die("the answers end too early");
  line[strcspn(line, "\n")] = 0;
}

/** `answer EVERY_MS FIELDS FRAMES`, the path, a line per field, then per frame a line with its length and its bytes. */
void provider_load(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) die(path);
  char line[512];
  while (fgets(line, sizeof line, file) != NULL) {
    if (answer_count == MAX_ANSWERS) die("too many answers");
    Answer *answer = &answers[answer_count++];
    long every_ms;
    if (sscanf(line, "answer %ld %d %d", &every_ms, &answer->field_count, &answer->frame_count) != 3) die("not an answer");
    if (answer->field_count > MAX_FIELDS) die("too many fields");
    answer->every_s = (double)every_ms / 1000;
    line_of(file, answer->path, sizeof answer->path);
    for (int index = 0; index < answer->field_count; index += 1) {
      line_of(file, line, sizeof line);
      if (sscanf(line, "%63s %127s", answer->fields[index].key, answer->fields[index].value) != 2) die("not a field");
    }
    answer->frames = calloc((size_t)answer->frame_count, sizeof(Frame));
    for (int index = 0; index < answer->frame_count; index += 1) {
      Frame *frame = &answer->frames[index];
      line_of(file, line, sizeof line);
      frame->length = strtoul(line, NULL, 10);
      frame->bytes = malloc(frame->length);
      if (fread(frame->bytes, 1, frame->length, file) != frame->length) die("a frame ends too early");
    }
  }
  fclose(file);
}

int provider_listen(void) {
  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 4096) != 0) die("listen");
  getsockname(listener, (struct sockaddr *)&address, &length);
  watch(EPOLL_CTL_ADD, listener, EPOLLIN, &listener_kind);
  return ntohs(address.sin_port);
}

void provider_accept(void) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (fd < 0) return;
    tune(fd);
    Upstream *upstream = calloc(1, sizeof *upstream);
    upstream->in = malloc(IN_BYTES + 1);
    if (upstream->in == NULL) die("memory");
    upstream->kind = KIND_UPSTREAM;
    upstream->fd = fd;
    watch(EPOLL_CTL_ADD, fd, EPOLLIN, upstream);
  }
}

static void dequeue(Upstream *upstream) {
  Queue *queue = upstream->queue;
  if (queue == NULL) return;
  if (upstream->before == NULL) queue->first = upstream->after;
  else upstream->before->after = upstream->after;
  if (upstream->after == NULL) queue->last = upstream->before;
  else upstream->after->before = upstream->before;
  upstream->before = upstream->after = NULL;
  upstream->queue = NULL;
}

/** Everything in one queue waits for the same time, so its first is always the next. */
static void enqueue(Queue *queue, Upstream *upstream, double due) {
  dequeue(upstream);
  upstream->due = due;
  upstream->queue = queue;
  upstream->before = queue->last;
  if (queue->last == NULL) queue->first = upstream;
  else queue->last->after = upstream;
  queue->last = upstream;
}

static void close_upstream(Upstream *upstream) {
  if (upstream->fd < 0) return;
  dequeue(upstream);
  if (upstream->bound) client_unbind(upstream->tag, upstream);
  close(upstream->fd);
  upstream->fd = -1;
  upstream->after = buried;
  buried = upstream;
}

void provider_bury(void) {
  while (buried != NULL) {
    Upstream *upstream = buried;
    buried = upstream->after;
    free(upstream->in);
    free(upstream);
  }
}

/** Passes bytes to the socket; how many it took, or −1 when the other side is gone. */
static ssize_t pass_on(Upstream *upstream, const char *bytes, size_t length) {
  ssize_t taken = send(upstream->fd, bytes, length, MSG_NOSIGNAL);
  if (taken >= 0) return taken;
  return errno == EAGAIN ? 0 : -1;
}

static void finish_answer(Upstream *upstream) {
  dequeue(upstream);
  if (upstream->bound) client_unbind(upstream->tag, upstream);
  upstream->bound = false;
  upstream->answer = NULL;
}

/** Sends the next frame of the answer, or what is left of it; whether the one after it leaves at once. */
static bool send_one(Upstream *upstream) {
  const Answer *answer = upstream->answer;
  const Frame *frame = &answer->frames[upstream->next_frame];
  ssize_t taken = pass_on(upstream, frame->bytes + upstream->sent, frame->length - upstream->sent);
  if (taken < 0) {
    close_upstream(upstream);
    return false;
  }
  upstream->sent += (size_t)taken;
  bool blocked = upstream->sent < frame->length;
  if (blocked != upstream->blocked) watch(EPOLL_CTL_MOD, upstream->fd, EPOLLIN | (blocked ? EPOLLOUT : 0), upstream);
  upstream->blocked = blocked;
  if (blocked) {
    dequeue(upstream);
    return false;
  }
  upstream->sent = 0;
  upstream->sent_at = now();
  upstream->next_frame += 1;
  int left = answer->frame_count - upstream->next_frame;
  if (left == 0) finish_answer(upstream);
  else if (answer->every_s > 0) enqueue(&paced, upstream, upstream->sent_at + answer->every_s);
  else if (left > TAIL_FRAMES) enqueue(&gated, upstream, upstream->sent_at + STALL_S);
  else return true;
  return false;
}

static void send_frame(Upstream *upstream) {
  while (send_one(upstream)) {
  }
}

static const char *skip_space(const char *at) {
  while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') at += 1;
  return at;
}

/** Whether a member of this name and value stands anywhere in the body. Inside of a string its quotes would be escaped. */
static bool has_field(const char *body, const Field *field) {
  char name[80];
  size_t length = (size_t)snprintf(name, sizeof name, "\"%s\"", field->key);
  for (const char *at = body; (at = strstr(at, name)) != NULL;) {
    at = skip_space(at + length);
    if (*at != ':') continue;
    at = skip_space(at + 1);
    if (strncmp(at, field->value, strlen(field->value)) == 0) return true;
  }
  return false;
}

static const Answer *answer_for(const char *request_line, const char *body) {
  for (int index = 0; index < answer_count; index += 1) {
    const Answer *answer = &answers[index];
    if (strstr(request_line, answer->path) == NULL) continue;
    bool fits = true;
    for (int field = 0; field < answer->field_count && fits; field += 1) fits = has_field(body, &answer->fields[field]);
    if (fits) return answer;
  }
  return NULL;
}

/** Says what is wrong and hangs up, as nothing after it could be understood. */
static void refuse(Upstream *upstream, const char *status) {
  char text[256];
  int length = snprintf(text, sizeof text, "HTTP/1.1 %s\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", status);
  pass_on(upstream, text, (size_t)length);
  close_upstream(upstream);
}

static void answer_request(Upstream *upstream, const char *request_line, const char *body) {
  const Answer *answer = answer_for(request_line, body);
  if (answer == NULL) {
    static const char not_found[] = "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 54\r\n\r\n"
                                    "{\"error\":{\"message\":\"not recorded\",\"code\":\"not_found\"}}";
    unknown_requests += 1;
    if (pass_on(upstream, not_found, sizeof not_found - 1) < 0) close_upstream(upstream);
    return;
  }
  upstream->answer = answer;
  upstream->next_frame = 0;
  upstream->sent = 0;
  const char *tag = answer->frame_count > 1 ? strstr(body, "toll #") : NULL;
  if (tag != NULL) {
    upstream->tag = (unsigned)strtoul(tag + 6, NULL, 10);
    upstream->bound = client_bind(upstream->tag, upstream);
  }
  send_frame(upstream);
}

/** Puts the chunks of a body side by side, in place. How many bytes they took up, or 0 when the last one is not there yet. */
static size_t unchunk(char *body, size_t length, size_t *plain) {
  size_t at = 0, kept = 0;
  for (;;) {
    char *end = memmem(body + at, length - at, "\r\n", 2);
    if (end == NULL) return 0;
    size_t size = strtoul(body + at, NULL, 16);
    at = (size_t)(end - body) + 2;
    if (size > length - at || length - at - size < 2) return 0;
    if (plain != NULL) memmove(body + kept, body + at, size);
    kept += size;
    at += size + 2;
    if (size > 0) continue;
    if (plain != NULL) *plain = kept;
    return at;
  }
}

/** Takes one request from the front of what was received; false when it is not complete, or nothing may follow it. */
static bool take_request(Upstream *upstream) {
  char *in = upstream->in;
  in[upstream->in_length] = 0;
  char *head_end = memmem(in, upstream->in_length, "\r\n\r\n", 4);
  if (head_end == NULL) return false;
  char *body = head_end + 4;
  size_t head_bytes = (size_t)(body - in), rest = upstream->in_length - head_bytes;
  *head_end = 0;
  char *length_header = strcasestr(in, "\r\ncontent-length:");
  bool chunked = strcasestr(in, "\r\ntransfer-encoding: chunked") != NULL;
  *head_end = '\r';

  size_t used, body_bytes;
  if (chunked) {
    used = unchunk(body, rest, NULL);
    if (used == 0) return false;
    unchunk(body, used, &body_bytes);
  } else {
    used = body_bytes = length_header == NULL ? 0 : strtoul(length_header + 17, NULL, 10);
    if (used > IN_BYTES - head_bytes) {
      refuse(upstream, "413 Content Too Large");
      return false;
    }
    if (rest < used) return false;
  }
  char next = body[body_bytes];
  body[body_bytes] = 0;
  *strchr(in, '\r') = 0;
  answer_request(upstream, in, body);
  if (upstream->fd < 0) return false;
  body[body_bytes] = next;
  upstream->in_length = rest - used;
  memmove(in, body + used, upstream->in_length);
  return true;
}

static void take_requests(Upstream *upstream) {
  while (upstream->fd >= 0 && upstream->answer == NULL && upstream->in_length > 0 && take_request(upstream)) {
  }
  if (upstream->fd >= 0 && upstream->answer == NULL && upstream->in_length == IN_BYTES) refuse(upstream, "413 Content Too Large");
}

void provider_event(Upstream *upstream, uint32_t events) {
  if (upstream->fd < 0) return;
  if (events & EPOLLOUT && upstream->answer != NULL) send_frame(upstream);
  if (upstream->fd < 0 || !(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
  ssize_t received = recv(upstream->fd, upstream->in + upstream->in_length, IN_BYTES - upstream->in_length, 0);
  if (received < 0 && errno == EAGAIN) return;
  if (received <= 0) {
    close_upstream(upstream);
    return;
  }
  upstream->in_length += (size_t)received;
  take_requests(upstream);
}

void provider_arrived(Upstream *upstream) {
  if (upstream->queue != &gated) return;
  send_frame(upstream);
  if (upstream->answer == NULL) take_requests(upstream);
}

double provider_sent_at(const Upstream *upstream) { return upstream->sent_at; }

void provider_forget(Upstream *upstream) { upstream->bound = false; }

double provider_tick(double at) {
  for (Queue *queue = &gated; queue != NULL; queue = queue == &gated ? &paced : NULL) {
    while (queue->first != NULL && queue->first->due <= at) {
      Upstream *upstream = queue->first;
      send_frame(upstream);
      if (upstream->fd >= 0 && upstream->answer == NULL) take_requests(upstream);
    }
  }
  double next = 1e18;
  if (gated.first != NULL) next = gated.first->due;
  if (paced.first != NULL && paced.first->due < next) next = paced.first->due;
  return next;
}

unsigned long provider_unknown(void) { return unknown_requests; }
