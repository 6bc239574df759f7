import { errorsIn, SERIES_STEPS, type SeriesJson, type SeriesSumJson } from "../../../contract/series.ts";
import { grouped, printable } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { facts, table } from "../table.ts";

const LEVELS = "▁▂▃▄▅▆▇█";
const WIDEST = 72;

/** Totals, a line of bars for spend, requests, errors and times, and the groups. */
export function seriesText(series: SeriesJson, screen: Screen = PLAIN): string {
  const { total, groups, by, points, step } = series;
  const title = `${whoseOf(series)}, ${moment(series.from)} to ${moment(series.to)} in steps of ${step}`;
  const summary = facts(title, factsOf(total), screen);
  if (points.length === 0) return `${summary}\n\nNo requests in this time.`;
  const unit = total.credits === "0" && total.tokens !== "0" ? "tokens" : "credits";
  const lines: [string, (point: SeriesJson["points"][number]) => number][] = [
    [unit, (point) => Number(point[unit])],
    ["requests", (point) => point.requests],
    ["errors", errorsIn],
    ["first byte p95, ms", (point) => point.ttft?.p95 ?? 0],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  const room = Math.max(10, Math.min(WIDEST, (screen.columns ?? WIDEST + 40) - width - 20));
  const drawn = lines.map(([name, value]) => {
    const values = spread(series, value, room);
    const most = Math.max(...values);
    return `  ${screen.paint("secondary", name.padEnd(width))}  ${screen.paint("bar", bars(values, most))}  ${mostText(most)}`;
  });
  const chart = drawn.join("\n");
  if (by === null) return `${summary}\n\n${chart}`;
  const rows = groups.map(({ id, name, total: sum }) => [
    id === null ? "other" : printable(name ?? (id || "-")),
    sum[unit],
    String(sum.requests),
    String(errorsIn(sum)),
    String(sum.input_tokens),
    String(sum.output_tokens),
    sum.ttft === null ? "-" : String(Math.round(sum.ttft.p95)),
  ]);
  const titles = [by.toUpperCase(), `>${unit.toUpperCase()}`, ">REQUESTS", ">ERRORS", ">INPUT", ">OUTPUT", ">P95 MS"];
  return `${summary}\n\n${chart}\n\n${table(titles, rows, { screen })}`;
}

const moment = (at: string): string => `${at.slice(0, 16).replace("T", " ")}Z`;

function whoseOf({ key, account, model, provider }: SeriesJson): string {
  const whose =
    key !== null ? `Requests of ${key.prefix}` : account !== null ? `Requests of ${account.title}` : "All requests";
  return `${whose}${model === null ? "" : ` for ${printable(model)}`}${provider === null ? "" : ` via ${printable(provider)}`}`;
}

function factsOf(total: SeriesSumJson): [string, string][] {
  const { ttft, overhead, output_per_second: speed } = total;
  const codes = Object.entries(total.codes)
    .toSorted(([, one], [, other]) => other - one)
    .map(([code, count]) => `${code} ${grouped(count)}`);
  const times = ({ p50, p95, p99 }: { p50: number; p95: number; p99: number }): string =>
    `p50 ${grouped(p50)} ms, p95 ${grouped(p95)} ms, p99 ${grouped(p99)} ms`;
  return [
    ["requests", grouped(total.requests)],
    ["ended with", codes.join(", ") || "-"],
    ["charged", `${grouped(total.credits)} credits${total.tokens === "0" ? "" : `, ${grouped(total.tokens)} tokens`}`],
    [
      "tokens",
      `${grouped(total.input_tokens)} in (${grouped(total.cached_tokens)} cached), ${grouped(total.output_tokens)} out`,
    ],
    ["first byte", ttft === null ? "-" : times(ttft)],
    ["overhead", overhead === null ? "-" : times(overhead)],
    ["output speed", speed === null ? "-" : `${grouped(speed)} tokens/s`],
  ];
}

/** Values at even distances, so that steps without requests are seen; where they are too many, the highest of neighbours. */
function spread(
  { from, to, step, points }: SeriesJson,
  value: (point: SeriesJson["points"][number]) => number,
  room: number,
) {
  const stepMs = SERIES_STEPS[step] * 60_000;
  const [begin, count] = [Date.parse(from), Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / stepMs))];
  const columns = Math.min(count, room);
  const values = Array.from({ length: columns }, () => 0);
  for (const point of points) {
    const place = Math.floor((((Date.parse(point.at) - begin) / stepMs) * columns) / count);
    values[place] = Math.max(values[place] ?? 0, value(point));
  }
  return values;
}

const bars = (values: readonly number[], most: number): string =>
  values
    .map((value) => (value <= 0 ? " " : (LEVELS[Math.min(7, Math.max(0, Math.ceil((value / most) * 8) - 1))] ?? " ")))
    .join("");

const mostText = (most: number): string => (most === 0 ? "-" : `up to ${grouped(Number(most.toPrecision(4)))}`);
