/* Reads HTTP/1.1 responses: the status, where the body begins and ends, and the events in it. */
#ifndef RESPONSE_H
#define RESPONSE_H

#include "rig.h"

enum { HEAD_BYTES = 16384, PROBLEM_BYTES = 300 };

typedef enum { HEAD, SIZED, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER, UNTIL_CLOSE } Part;

typedef struct {
  Part part;
  char head[HEAD_BYTES + 1];
  size_t head_length;
  uint64_t remaining;
  /** Whether the line of a chunk's size or of a trailer has had anything in it. */
  bool line_begun;
  int status;
  bool closes;
  /** How much of `data:` the current line has matched so far; −1 when that is decided. */
  int matched;
  int events;
  long body_bytes;
  char error[PROBLEM_BYTES + 1];
  size_t error_length;
} Response;

typedef struct {
  bool body, complete;
  int events;
  /** Why nothing after this could be understood, or null. */
  const char *wrong;
} Taken;

typedef struct {
  /** Exactly so many events; −1: any number. */
  int events;
  long least_bytes;
} Expectation;

void response_begin(Response *response);
Taken response_take(Response *response, const char *bytes, size_t length);
bool response_ends_with_connection(const Response *response);
/** Why an answer that is complete does not count, or null. */
const char *response_problem(const Response *response, const Expectation *expected);

#endif
