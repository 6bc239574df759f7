import type { AskCloud } from "./ambient.ts";

const MOST_BYTES = 65_536;
const TIMEOUT_MS = 5_000;

/** Sends a question to an identity service. Where it leads elsewhere, that answer is the answer: nothing of it is sent on. */
export const askCloud: AskCloud = async ({ url, method, headers = {}, body, timeoutMs = TIMEOUT_MS, signal }) => {
  const response = await fetch(url, {
    method,
    headers,
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    ...(body === undefined ? {} : { body }),
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // The code is what is told of an error.
    if (bytes > MOST_BYTES) throw Object.assign(new Error("an answer without measure"), { code: "TOO_LARGE" });
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return { status: response.status, headers: Object.fromEntries(response.headers), text };
};
