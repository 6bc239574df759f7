/** A server-sent event as it came. `name`: null where the format does not name its events. */
export type StreamEvent = { name: string | null; data: string };

/** Cuts a stream of bytes into its events, however they were cut on the way. Comments, which keep the connection open, are left out. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const frames = rest.split(/\r?\n\r?\n/);
      rest = done ? "" : (frames.pop() ?? "");
      for (const frame of frames) {
        const event = eventOf(frame);
        if (event !== null) yield event;
      }
      if (done) return;
    }
  } finally {
    reader.releaseLock();
  }
}

function eventOf(frame: string): StreamEvent | null {
  const fields = frame.split(/\r?\n/).map((line) => /^(event|data):\s?(.*)$/s.exec(line));
  const data = fields.flatMap((field) => (field?.[1] === "data" ? [field[2] ?? ""] : []));
  const name = fields.find((field) => field?.[1] === "event")?.[2] ?? null;
  return data.length === 0 ? null : { name, data: data.join("\n") };
}
