import { Fault } from "../../core/fault.ts";
import type { ToldTelemetry } from "../../gateway/client/forward-telemetry.ts";
import type { createReadSmallBytes } from "../read/body.ts";
import type { Exchange } from "../public-route.ts";

/** What a client told about itself; null: it is too large, or too many tell at once. */
export type ReadTelemetry = (exchange: Pick<Exchange, "request" | "response">) => Promise<ToldTelemetry | null>;

const MAX_BYTES = 1_048_576;
const MOST_AT_ONCE = 16;
const LONGEST_HEADER = 100;

/** Bounded, because nobody pays for it. What is beyond a bound is dropped, and the connection ends with the answer. */
export function createReadTelemetry(read: ReturnType<typeof createReadSmallBytes>): ReadTelemetry {
  let reading = 0;
  return async ({ request, response }) => {
    if (reading >= MOST_AT_ONCE) return drop();
    reading++;
    try {
      const body = await read({ request, response, maxBytes: MAX_BYTES });
      const { "content-type": type = "", "content-encoding": encoding = "" } = request.headers;
      return { body, type: type.slice(0, LONGEST_HEADER), encoding: encoding.slice(0, LONGEST_HEADER) };
    } catch (error) {
      if (error instanceof Fault && error.code === "invalid_request") return drop();
      throw error;
    } finally {
      reading--;
    }
    function drop(): null {
      response.shouldKeepAlive = false;
      return null;
    }
  };
}
