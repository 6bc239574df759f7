#include "response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void response_begin(Response *response) {
  response->part = HEAD;
  response->head_length = 0;
  response->status = 0;
  response->closes = false;
  response->matched = 0;
  response->events = 0;
  response->body_bytes = 0;
  response->error_length = 0;
}

bool response_ends_with_connection(const Response *response) { return response->part == UNTIL_CLOSE; }

/** Lines that begin with `data:`, wherever the network cut the body. */
static int count_events(Response *response, const char *bytes, size_t length) {
  static const char field[] = "data:";
  int found = 0;
  for (size_t at = 0; at < length; at += 1) {
    if (response->matched < 0) {
      const char *newline = memchr(bytes + at, '\n', length - at);
      if (newline == NULL) break;
      at = (size_t)(newline - bytes);
      response->matched = 0;
    } else if (bytes[at] == field[response->matched]) {
      response->matched += 1;
      if (response->matched < 5) continue;
      found += 1;
      response->matched = -1;
    } else if (bytes[at] != '\n') response->matched = -1;
    else response->matched = 0;
  }
  return found;
}

static int take_body(Response *response, const char *bytes, size_t length) {
  response->body_bytes += (long)length;
  if (response->status == 200) {
    int found = count_events(response, bytes, length);
    response->events += found;
    return found;
  }
  size_t kept = PROBLEM_BYTES - response->error_length;
  if (kept > length) kept = length;
  memcpy(response->error + response->error_length, bytes, kept);
  response->error_length += kept;
  response->error[response->error_length] = 0;
  return 0;
}

/** Reads the header, which is complete; false when its body has no end that could be known. */
static bool read_head(Response *response) {
  char *head = response->head;
  if (strncmp(head, "HTTP/1.", 7) != 0 || response->head_length < 12) return false;
  response->status = atoi(head + 9);
  response->closes = strcasestr(head, "\r\nconnection: close") != NULL;
  const char *sized = strcasestr(head, "\r\ncontent-length:");
  if (strcasestr(head, "\r\ntransfer-encoding: chunked") != NULL) {
    response->part = CHUNK_SIZE;
    response->remaining = 0;
    response->line_begun = false;
  } else if (sized != NULL) {
    response->part = SIZED;
    response->remaining = strtoull(sized + 17, NULL, 10);
  } else {
    response->part = UNTIL_CLOSE;
    response->closes = true;
  }
  return true;
}

/** Takes what belongs to the header; how many bytes that were, or −1 when it is none. */
static long take_head(Response *response, const char *bytes, size_t length) {
  size_t before = response->head_length, room = HEAD_BYTES - before;
  size_t kept = length < room ? length : room;
  memcpy(response->head + before, bytes, kept);
  response->head_length += kept;
  response->head[response->head_length] = 0;
  size_t from = before < 3 ? 0 : before - 3;
  char *end = memmem(response->head + from, response->head_length - from, "\r\n\r\n", 4);
  if (end == NULL) return response->head_length == HEAD_BYTES ? -1 : (long)length;
  response->head_length = (size_t)(end - response->head);
  // The line before the empty one keeps its end, so that a header can be searched for with both of its ends.
  end[2] = 0;
  if (!read_head(response)) return -1;
  return (long)(response->head_length + 4 - before);
}

static int digit_of(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  if (character >= 'A' && character <= 'F') return character - 'A' + 10;
  return -1;
}

/** One byte of the line with a chunk's size; extensions after it are passed over. */
static void take_chunk_size(Response *response, char byte) {
  int digit = digit_of(byte);
  if (byte == '\n') response->part = response->remaining == 0 ? TRAILER : CHUNK;
  else if (digit < 0) response->line_begun = true;
  else if (!response->line_begun) response->remaining = response->remaining * 16 + (uint64_t)digit;
  if (response->part == TRAILER) response->line_begun = false;
}

Taken response_take(Response *response, const char *bytes, size_t length) {
  Taken taken = {false, false, 0, NULL};
  size_t at = 0;
  while (at < length && !taken.complete) {
    size_t rest = length - at;
    switch (response->part) {
    case HEAD: {
      long used = take_head(response, bytes + at, rest);
      if (used < 0) {
        taken.wrong = "not an HTTP/1.1 response";
        return taken;
      }
      at += (size_t)used;
      taken.complete = response->part == SIZED && response->remaining == 0;
      break;
    }
    case SIZED:
    case CHUNK: {
      size_t part = rest < response->remaining ? rest : (size_t)response->remaining;
      taken.body = true;
      taken.events += take_body(response, bytes + at, part);
      response->remaining -= part;
      at += part;
      if (response->remaining > 0) break;
      if (response->part == SIZED) taken.complete = true;
      else response->part = CHUNK_END;
      break;
    }
    case CHUNK_SIZE:
      take_chunk_size(response, bytes[at]);
      at += 1;
      break;
    case CHUNK_END:
      if (bytes[at] == '\n') {
        response->part = CHUNK_SIZE;
        response->remaining = 0;
        response->line_begun = false;
      }
      at += 1;
      break;
    case TRAILER:
      if (bytes[at] == '\n') {
        taken.complete = !response->line_begun;
        response->line_begun = false;
      } else if (bytes[at] != '\r') response->line_begun = true;
      at += 1;
      break;
    case UNTIL_CLOSE:
      taken.body = true;
      taken.events += take_body(response, bytes + at, rest);
      at = length;
      break;
    }
  }
  if (taken.complete && at < length) taken.wrong = "bytes after the end of the response";
  return taken;
}

const char *response_problem(const Response *response, const Expectation *expected) {
  static char problem[PROBLEM_BYTES + 64];
  if (response->status != 200) {
    snprintf(problem, sizeof problem, "status %d: %s", response->status, response->error_length == 0 ? "" : response->error);
    return problem;
  }
  if (expected->events >= 0 && response->events != expected->events) {
    snprintf(problem, sizeof problem, "%d events instead of %d", response->events, expected->events);
    return problem;
  }
  if (response->body_bytes < expected->least_bytes) {
    snprintf(problem, sizeof problem, "%ld bytes instead of at least %ld", response->body_bytes, expected->least_bytes);
    return problem;
  }
  return NULL;
}
