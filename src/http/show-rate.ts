import type { ServerResponse } from "node:http";
import type { Caller } from "../gateway/open-request.ts";

type Rate = Parameters<Caller["onRate"]>[0];

/** What is left of a key's requests per minute, under the names and in the form that clients of Format A know. */
export function showRate(response: ServerResponse, { limit, remaining, resetMs }: Rate): void {
  if (response.headersSent) return;
  response.setHeader("x-ratelimit-limit-requests", String(limit));
  response.setHeader("x-ratelimit-remaining-requests", String(remaining));
  response.setHeader("x-ratelimit-reset-requests", `${Math.ceil(resetMs / 1000)}s`);
}
