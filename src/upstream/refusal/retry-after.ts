/** However long a provider asks for, somebody should look again after a minute. */
const LONGEST_MS = 60_000;
/** For a provider that says it is over its capacity and not until when. */
const UNSAID_MS = 1_000;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** How long a provider's refusal asks us to leave it alone; null when it does not ask for that. */
export function coolDownOf({
  status,
  headers,
  nowMs,
}: {
  status: number;
  headers: Headers;
  nowMs: number;
}): number | null {
  const askedMs = exactMs(headers["retry-after-ms"]) ?? secondsOrDate(headers["retry-after"], nowMs);
  if (askedMs !== null) return status === 429 || status >= 500 ? Math.min(LONGEST_MS, askedMs) : null;
  return status === 429 ? UNSAID_MS : null;
}

function exactMs(value: string | string[] | undefined): number | null {
  return typeof value === "string" && /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : null;
}

/** [RFC 9110, section 10.2.3] */
function secondsOrDate(value: string | string[] | undefined, nowMs: number): number | null {
  const seconds = exactMs(value);
  if (seconds !== null) return seconds * 1_000;
  const atMs = typeof value === "string" && value.length < 64 ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
