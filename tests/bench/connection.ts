import { connect } from "node:net";
import { createEventCounter } from "./event-counter.ts";
import { createResponseReader } from "./response-reader.ts";

/** What a connection tells while it waits for an answer. */
export type ConnectionEvents = {
  firstByte: () => void;
  /** Events of a stream, as they arrive. */
  progress: (events: number) => void;
  /** The answer is complete. `problem` says why it does not count. */
  answered: (answer: { events: number; problem: string | null }) => void;
  read: () => void;
};

export type Connection = {
  /** Sends the request; not again before `answered`. */
  send: () => void;
};

export type ConnectionOptions = {
  origin: string;
  request: Buffer;
  eventsPerStream: number | null;
  fail: (error: Error) => void;
};

/** Room for the largest read; one buffer per connection, used again and again. */
const READ_BYTES = 65_536;
const PROBLEM_BYTES = 300;

/** A keep-alive connection over a raw socket that costs a fraction of what any HTTP client does. */
export function openConnection(options: ConnectionOptions, events: ConnectionEvents): Promise<Connection> {
  const { hostname, port } = new URL(options.origin);
  const counter = createEventCounter();
  let eventCount = 0;
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
        events.firstByte();
      }
      if (status !== 200) {
        if (errorText.length < PROBLEM_BYTES) errorText += bytes.toString("utf8", start, end);
        return;
      }
      const found = counter.take(bytes, start, end);
      eventCount += found;
      if (found > 0) events.progress(found);
    },
    finish: () => {
      const answer = { events: eventCount, problem: problemOf({ status, errorText, eventCount, ...options }) };
      eventCount = 0;
      begun = "no";
      errorText = "";
      counter.reset();
      events.answered(answer);
    },
  });

  return new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const socket = connect({
      host: hostname,
      port: Number(port),
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
      socket.on("error", options.fail);
      socket.on("close", () => options.fail(new Error("the connection was closed from the other side")));
      resolve({ send: () => socket.write(options.request) });
    });
    socket.once("error", reject);
  });
}

type Received = { status: number; errorText: string; eventCount: number; eventsPerStream: number | null };

function problemOf({ status, errorText, eventCount, eventsPerStream }: Received): string | null {
  if (status !== 200) return `status ${status}: ${errorText.slice(0, PROBLEM_BYTES)}`;
  if (eventsPerStream !== null && eventCount !== eventsPerStream) {
    return `${eventCount} events instead of ${eventsPerStream}`;
  }
  return null;
}
