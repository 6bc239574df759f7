/*
 * The rig: load generator and provider of the bench in one thread. Both share a core anyway; in one event loop they cost no
 * switch between processes, and the provider knows which events of a stream have arrived.
 */
#ifndef RIG_H
#define RIG_H

#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** First member of everything that epoll points to. */
typedef enum { KIND_COMMANDS, KIND_LISTENER, KIND_UPSTREAM, KIND_CLIENT } Kind;

typedef struct Upstream Upstream;

/** Monotonic, in seconds. */
double now(void);
_Noreturn void die(const char *what);
void watch(int operation, int fd, uint32_t events, void *target);
/** A socket that neither blocks nor waits to fill a packet. */
void tune(int fd);

/* provider.c: answers with the bytes it was given. */
void provider_load(const char *file);
int provider_listen(void);
void provider_accept(void);
void provider_event(Upstream *upstream, uint32_t events);
/** An event of this stream has reached its client, so the next one may leave. */
void provider_arrived(Upstream *upstream);
/** When the last event of this stream left. */
double provider_sent_at(const Upstream *upstream);
/** Nobody waits for this stream any more. */
void provider_forget(Upstream *upstream);
/** Sends what is due by the clock; returns when it next wants to be called. */
double provider_tick(double at);
/** Frees what was closed; only when no event of this round can point to it. */
void provider_bury(void);
unsigned long provider_unknown(void);

/* client.c: sends requests and judges answers. */
void client_prepare(const char *line, const char *request);
void client_go(void);
void client_close(void);
/** Prints what has become of the streams that are held. */
void client_look(void);
void client_event(void *client, uint32_t events);
double client_tick(double at);
/** The stream that answers request `tag` of the present job; returns whether there is such a request. */
bool client_bind(unsigned tag, Upstream *upstream);
void client_unbind(unsigned tag, Upstream *upstream);

/* histogram.c: buckets that widen with the value; every percentile is within 1.6 % of the truth. */
#define HISTOGRAM_BUCKETS (64 * 36)
typedef struct {
  uint64_t counts[HISTOGRAM_BUCKETS];
  uint64_t total;
} Histogram;
void histogram_record(Histogram *histogram, double micros);
uint64_t histogram_percentile(const Histogram *histogram, double share);

#endif
