import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A refusal as `docs/reference/provider-refusals.json` has it. */
export type RefusalExample = {
  family: string;
  about: "request" | "too_long" | "too_much" | "key" | "account" | "busy" | "late" | "failed" | "unknown";
  /** 200: said in place of an answer, in a stream or in a whole body. */
  status: number;
  headers: Record<string, string>;
  body: string;
  source: "recorded" | "documented" | "made";
  from: string;
};

type Row = Omit<RefusalExample, "family" | "headers" | "body" | "from"> & {
  headers?: Record<string, string>;
  body: unknown;
  from?: string;
};

const FILE = join(import.meta.dirname, "../../docs/reference/provider-refusals.json");

export const REFUSAL_EXAMPLES: readonly RefusalExample[] = Object.entries(
  JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Row[]>,
).flatMap(([family, rows]) =>
  rows.map(({ headers = {}, body, from = "", ...row }) => ({
    ...row,
    family,
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
    from,
  })),
);

type Expected = {
  code: string;
  statusA: number;
  statusB: number;
  /** Who is asked after it. */
  next: "nobody" | "others";
  /** What it says against the route. */
  counts: "never" | "once" | "always";
};
const CLIENTS = { statusA: 400, statusB: 400, next: "nobody", counts: "never" } as const;
const OURS = { statusA: 502, statusB: 502, next: "others", counts: "always" } as const;

/** What a client is told in the end, in the words of the interface, and what becomes of the route; restated, so that a slip in ours shows. */
export const TOLD: Record<RefusalExample["about"], Expected> = {
  request: { ...CLIENTS, code: "invalid_request" },
  too_much: { ...CLIENTS, code: "invalid_request", next: "others" },
  too_long: { ...CLIENTS, code: "context_length_exceeded" },
  key: { ...OURS, code: "provider_unavailable" },
  account: { ...OURS, code: "provider_unavailable", counts: "once" },
  busy: { ...OURS, code: "provider_unavailable" },
  late: { ...OURS, code: "upstream_timeout", statusB: 504, counts: "once" },
  failed: { ...OURS, code: "upstream_error" },
  unknown: { ...OURS, code: "upstream_error", next: "nobody", counts: "never" },
};
