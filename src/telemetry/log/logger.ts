import type { Clock } from "../../core/clock.ts";
import { type LineOutput, openLineOutput } from "./line-output.ts";
import { redact } from "./redact.ts";

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LEVELS)[number];

export type RequestLevel = "debug" | "info" | "error";

type Write = (fields: object, message: string) => void;

/** Writes one JSON object per line. */
export type Logger = {
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  /** Writes the line of a request, whose members are already JSON text. */
  request: (level: RequestLevel, members: string) => void;
  /** Writes what is still buffered, and gives up on a reader that stalls: see `LineOutput`. For the last moments of a process. */
  close: () => Promise<{ stalled: boolean }>;
};

export type LoggerOptions = {
  level: LogLevel;
  clock: Clock;
  /** Where lines go; standard output unless given. */
  destination?: LineOutput;
  /** Called for every line that was thrown away because nobody reads the output. */
  lineDropped?: () => void;
};

/**
 * Lines have pino's shape. They are put together here, by one call of
 * `JSON.stringify`: handing some twenty fields to pino one by one took three times as long, for every request.
 */
export function createLogger({ level, clock, destination, lineDropped = () => {} }: LoggerOptions): Logger {
  const output = destination ?? openLineOutput(lineDropped);
  const timeText = createTimeText(clock);
  const { pid } = process;
  const silent = (lineLevel: LogLevel): boolean => LEVELS.indexOf(lineLevel) < LEVELS.indexOf(level);
  const headOf = (lineLevel: LogLevel): string => `{"level":"${lineLevel}","time":"${timeText()}","pid":${pid},"msg":`;
  const writer = (lineLevel: LogLevel): Write => {
    if (silent(lineLevel)) return () => {};
    return (fields, message) => {
      const tail = textOf(fields).slice(1);
      // The net is drawn through the finished line, so that no nesting and no serialiser escapes it.
      output.write(redact(`${headOf(lineLevel)}${JSON.stringify(message)}${tail === "}" ? "" : ","}${tail}\n`));
    };
  };
  const requestSilent = { debug: silent("debug"), info: silent("info"), error: silent("error") };
  return {
    debug: writer("debug"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
    request: (lineLevel, members) => {
      if (!requestSilent[lineLevel]) output.write(`${headOf(lineLevel)}"request",${members}}\n`);
    },
    close: async () => (await output.close?.()) ?? { stalled: false },
  };
}

/** A line about something that cannot be written as JSON is still a line. */
function textOf(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch {
    return '{"fields":"could not be written as JSON"}';
  }
}

/** The date and time up to the second change once a second, and formatting them costs as much as the rest of the line. */
function createTimeText(clock: Clock): () => string {
  let secondMs = Number.NaN;
  let secondText = "";
  return () => {
    const nowMs = Math.floor(clock.nowMs());
    const sinceMs = nowMs - secondMs;
    if (sinceMs >= 0 && sinceMs < 1000) return `${secondText}${`${sinceMs}`.padStart(3, "0")}Z`;
    const text = new Date(nowMs).toISOString();
    secondMs = nowMs - (nowMs % 1000);
    secondText = text.slice(0, -4);
    return text;
  };
}
