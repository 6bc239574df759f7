import { connect } from "node:net";
import { createEventCounter } from "./event-counter.ts";
import type { LoadJob } from "./load-job.ts";
import { createResponseReader } from "./response-reader.ts";

/** What a connection tells while it waits for an answer. */
export type ConnectionEvents = {
  firstByte: (status: number) => void;
  /** Events of a stream, as they arrive. */
  progress: (events: number) => void;
  /** The answer is complete. `problem` says why it does not count. */
  answered: (problem: string | null) => void;
  read: () => void;
};

export type Connection = {
  /** Sends the request; not again before `answered`. */
  send: () => void;
};

export type Expectation = Pick<LoadJob, "port" | "request" | "eventsPerStream" | "leastBytes">;

/** Room for the largest read; one buffer per connection, used again and again. */
const READ_BYTES = 65_536;
const PROBLEM_BYTES = 300;

/** A keep-alive connection over a raw socket that costs a fraction of what any HTTP client does. */
export function openConnection(
  expected: Expectation,
  fail: (error: Error) => void,
  events: ConnectionEvents,
): Promise<Connection> {
  const request = Buffer.from(expected.request, "base64");
  const counter = createEventCounter();
  let eventCount = 0;
  let bodyBytes = 0;
  let begun: "no" | "yes" = "no";
  let status = 0;
  let errorText = "";

  const reader = createResponseReader({
    begin: (received) => {
      status = received;
    },
    body: (bytes, start, end) => {
      if (begun === "no") {
        begun = "yes";
        events.firstByte(status);
      }
      bodyBytes += end - start;
      if (status !== 200) {
        if (errorText.length < PROBLEM_BYTES) errorText += bytes.toString("utf8", start, end);
        return;
      }
      const found = counter.take(bytes, start, end);
      eventCount += found;
      if (found > 0) events.progress(found);
    },
    finish: () => {
      const problem = problemOf({ status, errorText, eventCount, bodyBytes, ...expected });
      eventCount = 0;
      bodyBytes = 0;
      begun = "no";
      errorText = "";
      counter.reset();
      events.answered(problem);
    },
  });

  return new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const socket = connect({
      host: "127.0.0.1",
      port: expected.port,
      noDelay: true,
      onread: {
        buffer,
        callback: (length) => {
          events.read();
          reader.take(buffer.subarray(0, length));
          return true;
        },
      },
    });
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", fail);
      socket.on("close", () => fail(new Error("the connection was closed from the other side")));
      resolve({ send: () => socket.write(request) });
    });
    socket.once("error", reject);
  });
}

type Received = Pick<Expectation, "eventsPerStream" | "leastBytes"> & {
  status: number;
  errorText: string;
  eventCount: number;
  bodyBytes: number;
};

function problemOf({ status, errorText, eventCount, eventsPerStream, bodyBytes, leastBytes }: Received): string | null {
  if (status !== 200) return `status ${status}: ${errorText.slice(0, PROBLEM_BYTES)}`;
  if (eventsPerStream !== null && eventCount !== eventsPerStream) {
    return `${eventCount} events instead of ${eventsPerStream}`;
  }
  return bodyBytes < leastBytes ? `${bodyBytes} bytes instead of at least ${leastBytes}` : null;
}
