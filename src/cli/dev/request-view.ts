import { ROUTE_PATHS, type RouteName } from "../../telemetry/route-name.ts";
import type { Clock } from "../../core/clock.ts";
import { createLineAllowance } from "../../telemetry/line-allowance.ts";
import type { LineOutput } from "../../telemetry/line-output.ts";
import { cut, grouped, printable, widthOf } from "../text/cell.ts";
import type { Screen, Tone } from "../text/screen.ts";

/** The fields of a request's line in the log that are shown. */
export type LoggedRequest = {
  time: string;
  route: RouteName;
  method: string;
  status: number;
  code?: string;
  key_prefix?: string;
  model?: string;
  cost?: string;
  charged_tokens?: number;
  input_tokens: number;
  output_tokens: number;
  total_ms: number;
};

const UNNAMED: Partial<Record<RouteName, string>> = { unknown: "(unknown path)" };

const MOST_LINES = 20;
const PER_MS = 1_000;

type Parts = { output: Pick<LineOutput, "write">; screen: Screen; clock: Pick<Clock, "elapsedMs"> };

/**
 * Shows requests as they end, from the lines of the log, which hold neither prompts nor secrets. Of a burst the first few lines of
 * every second are shown, and how many were not.
 */
export function createRequestView({ output, screen, clock }: Parts): (line: string) => void {
  const allowance = createLineAllowance({ most: MOST_LINES, perMs: PER_MS, clock });
  let unshown = 0;
  const tellUnshown = (): void => {
    const words = unshown === 1 ? "1 more request" : `${grouped(unshown)} more requests`;
    output.write(`${screen.paint("secondary", `… ${words}, listed in the log`)}\n`);
    unshown = 0;
  };
  return (line) => {
    // Probes come every few seconds and tell nothing.
    if (!line.includes('"msg":"request"') || line.includes('"route":"health"')) return;
    if (allowance.take() !== null) {
      output.write(`${requestText(JSON.parse(line) as LoggedRequest, screen)}\n`);
      return;
    }
    if (unshown === 0) setTimeout(tellUnshown, PER_MS).unref();
    unshown++;
  };
}

const MODEL_COLUMNS = 20;

/** One line that fits the terminal: when, what, how it ended, what it cost, how long it took. */
export function requestText(request: LoggedRequest, screen: Screen): string {
  const origin = request.key_prefix?.startsWith("tgt_") && request.route !== "unknown" ? "/token" : "";
  const model = cut(printable(request.model ?? ""), MODEL_COLUMNS);
  const result = request.code ?? amounts(request);
  const cells: [text: string, columns: number, tone: Tone | null][] = [
    [request.time.slice(11, 19), 8, "secondary"],
    [request.method, 4, null],
    [`${origin}${ROUTE_PATHS[request.route] ?? UNNAMED[request.route] ?? ""}`, 26, null],
    [String(request.status), 3, statusTone(request.status)],
    [`${grouped(Math.round(request.total_ms))} ms`.padStart(9), 9, "secondary"],
    [model, 12, null],
    [result, 0, request.code === undefined ? null : statusTone(request.status)],
  ];
  let left = screen.columns ?? Number.POSITIVE_INFINITY;
  const shown = cells.map(([text, columns, tone]) => {
    const words = left > 0 ? cut(text, left) : "";
    const space = " ".repeat(Math.max(0, columns - widthOf(words)));
    left -= widthOf(words) + space.length + 2;
    return (tone === null ? words : screen.paint(tone, words)) + space;
  });
  return shown.join("  ").trimEnd();
}

function amounts(request: LoggedRequest): string {
  if (request.model === undefined) return "";
  const tokens = `${grouped(request.input_tokens)} in, ${grouped(request.output_tokens)} out`;
  if (request.cost !== undefined) return `${tokens}, ${grouped(request.cost)} credits`;
  return request.charged_tokens === undefined ? tokens : `${tokens}, ${grouped(request.charged_tokens)} tokens charged`;
}

const statusTone = (status: number): Tone => (status < 400 ? "good" : status < 500 ? "caution" : "bad");
