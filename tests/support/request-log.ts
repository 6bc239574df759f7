import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

/** One request as the gateway's log tells it, as far as tests read it. */
export type LoggedRequest = {
  request_id: string;
  route: string;
  /** Of the caller. */
  format?: string;
  /** The route of the catalogue that was asked last. */
  route_id?: string;
  status: number;
  code?: string;
  outcome?: string;
  model?: string;
  price_version?: number;
  /** In credits. */
  cost?: string;
  charged_tokens?: number;
  /** What the provider was not told. */
  dropped?: string;
  streamed: boolean;
  input_tokens: number;
  output_tokens: number;
  key_prefix?: string;
  error?: { param?: string };
};

export function requestLog(gateway: { folder: string }): LoggedRequest[] {
  return readFileSync(join(gateway.folder, ".tollgate/tollgate.log"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"msg":"request"') && line.endsWith("}"))
    .map((line) => JSON.parse(line) as LoggedRequest);
}

type Watched = { folder: string; publicUrl: string };

/** The requests a piece of work made, between two of our own that mark its beginning and its end. */
export async function requestsDuring<Result>(
  gateway: Watched,
  work: () => Promise<Result>,
): Promise<{ result: Result; requests: LoggedRequest[] }> {
  const begin = await mark(gateway);
  const result = await work();
  const end = await mark(gateway);
  await until(() => requestLog(gateway).some(({ request_id: id }) => id === end), "a request is logged");
  const log = requestLog(gateway);
  const place = (markId: string): number => log.findIndex(({ request_id: id }) => id === markId);
  return { result, requests: log.slice(place(begin) + 1, place(end)) };
}

/** A request is logged when its answer has been sent, so that those answered before the mark are in the log when the mark is. */
async function mark(gateway: Watched): Promise<string> {
  const response = await fetch(`${gateway.publicUrl}/v1/models`);
  await response.arrayBuffer();
  return response.headers.get("x-request-id") ?? "";
}
