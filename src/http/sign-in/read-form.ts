import { Fault } from "../../core/fault.ts";
import type { createReadSmallForm } from "../read/body.ts";
import type { Exchange } from "../public-route.ts";

export type ReadForm = (exchange: Pick<Exchange, "request" | "response">) => Promise<URLSearchParams>;

const MAX_BYTES = 8_192;

export const createReadForm =
  (read: ReturnType<typeof createReadSmallForm>): ReadForm =>
  async ({ request, response }) =>
    new URLSearchParams((await read({ request, response, maxBytes: MAX_BYTES })).toString("utf8"));

/** The one value of a field; null: it is missing or empty. Repeated, it is a mistake. [RFC 6749 3.2] */
export function sole(form: URLSearchParams, name: string): string | null {
  const [value, ...others] = form.getAll(name);
  if (others.length > 0) throw new Fault("invalid_request", `Send ${name} once.`, { param: name });
  return value === undefined || value === "" ? null : value;
}
