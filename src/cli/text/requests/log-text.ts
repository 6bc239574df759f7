import { ROUTE_PATHS, type RouteName } from "../../../telemetry/route-name.ts";
import { cut, grouped, printable, widthOf } from "../cell.ts";
import type { Screen, Tone } from "../screen.ts";

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

const UNNAMED: Partial<Record<RouteName, string>> = { unknown: "(unknown path)", health: "(health check)" };

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

/** Any other line of the log. */
export type LoggedEvent = Readonly<Record<string, unknown>> & { time: string; level: string; msg: string };

const LEVEL_TONES: Readonly<Record<string, Tone>> = { warn: "caution", error: "bad", fatal: "bad" };
/** Said elsewhere in the line, or the same in all. */
const NOT_REPEATED = new Set(["time", "level", "msg", "pid", "fix"]);

/** When, how grave, what, and the facts; the fix is on a line of its own. */
export function eventText(event: LoggedEvent, screen: Screen): string {
  const { time, level, msg, fix } = event;
  const facts = Object.entries(event)
    .filter(([name, value]) => !NOT_REPEATED.has(name) && value !== null)
    .map(([name, value]) => `${screen.paint("secondary", `${printable(name)}=`)}${factText(value)}`);
  const tone = LEVEL_TONES[level];
  const grave = printable(level).toUpperCase().padEnd(5);
  const words = [
    screen.paint("secondary", time.slice(11, 19)),
    tone === undefined ? grave : screen.paint(tone, grave),
    screen.paint("heading", printable(msg)),
    ...facts,
  ];
  const line = words.join("  ");
  return typeof fix === "string" ? `${line}\n          ${screen.paint("secondary", "fix:")} ${printable(fix)}` : line;
}

function factText(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[\w.:/@+-]+$/.test(text) ? text : printable(typeof value === "string" ? JSON.stringify(text) : text);
}
