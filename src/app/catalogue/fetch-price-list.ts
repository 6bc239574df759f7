/** More is no price list; LiteLLM's and models.dev's have two megabytes. */
export const MOST_LIST_BYTES = 32 * 1_048_576;
const TIMEOUT_MS = 30_000;

export class ListUnavailable extends Error {
  override readonly name = "ListUnavailable";
}

export type Means = { fetch?: typeof globalThis.fetch; signal?: AbortSignal; timeoutMs?: number; mostBytes?: number };

/** Fetches the text of a price list. Redirects are not followed; time and size are bounded, and the time covers the whole body. */
export async function fetchPriceList(
  url: string,
  { fetch = globalThis.fetch, signal, timeoutMs = TIMEOUT_MS, mostBytes = MOST_LIST_BYTES }: Means = {},
): Promise<string> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      redirect: "error",
      headers: { accept: "application/json", "user-agent": "tollgate" },
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new ListUnavailable(`it answered ${response.status}`);
    }
    return await textOf(response, mostBytes);
  } catch (error) {
    if (error instanceof ListUnavailable) throw error;
    throw new ListUnavailable(limit.aborted ? `no answer within ${timeoutMs / 1_000} seconds` : causeOf(error));
  }
}

async function textOf({ body }: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new ListUnavailable(`it is larger than ${mostBytes.toLocaleString("en-US")} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}
