import type { ByteStream } from "../core/byte-stream.ts";
import type { ToEvents } from "./call-convention.ts";
import { UpstreamError } from "./upstream.ts";

/** A body in a framing of its provider's own, as the server-sent events that everybody behind it reads. */
export function asEvents(body: ByteStream, toEvents: ToEvents): ByteStream {
  return {
    read: (reader) => {
      let broken = false;
      const reframed = (bytes: Buffer): Buffer | null => {
        try {
          return toEvents(bytes);
        } catch (cause) {
          broken = true;
          body.cancel();
          reader.fail(new UpstreamError("broken", cause));
          return null;
        }
      };
      body.read({
        chunk: (bytes) => {
          const events = broken ? null : reframed(bytes);
          if (events !== null && events.length > 0) reader.chunk(events);
        },
        end: () => reader.end(),
        fail: (error) => reader.fail(error),
      });
    },
    pause: () => body.pause(),
    resume: () => body.resume(),
    cancel: () => body.cancel(),
  };
}
