import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Command, InvalidArgumentError, Option } from "commander";
import { isObject } from "../../../core/bytes/is-object.ts";
import { DEFAULT_DEV_FOLDER } from "../../dev/dev-folder.ts";
import { CommandError } from "../../report-failure.ts";
import { eventText, type LoggedEvent, type LoggedRequest, requestText } from "../../text/requests/log-text.ts";
import { type Screen, screenOf } from "../../text/screen.ts";

type LogOptions = { level: string; status?: RegExp; key?: string; request?: string; json?: true };

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"];

/** `tollgate logs`: the log as a person reads it. */
export function addLogsCommand(program: Command): void {
  program
    .command("logs")
    .description("print a log in readable form, from a file or from standard input")
    .argument("[file]", "log file; default: standard input, or the log of `tollgate dev` in this folder")
    .addOption(new Option("--level <level>", "only lines of this level and above").choices(LEVELS).default("trace"))
    .option("--status <status>", "only requests with this status, such as 402 or 5xx", statusPattern)
    .option("--key <prefix>", "only requests of the key with this prefix")
    .option("--request <id>", "only lines about this request")
    .option("--json", "print the lines as they are")
    .action(async (file: string | undefined, options: LogOptions) => {
      const input = openLog(file);
      const screen = screenOf(process.stdout);
      for await (const line of createInterface({ input, crlfDelay: Infinity })) {
        const shown = shownLine(line, options, screen);
        if (shown !== null && !process.stdout.write(`${shown}\n`)) await once(process.stdout, "drain");
      }
    });
}

function openLog(file: string | undefined): NodeJS.ReadableStream {
  if (file !== undefined && file !== "-") return createReadStream(file);
  if (file === "-" || !process.stdin.isTTY) return process.stdin;
  const ofDev = join(DEFAULT_DEV_FOLDER, "tollgate.log");
  if (existsSync(ofDev)) return createReadStream(ofDev);
  throw new CommandError(
    "no log to read. Name a file, or pipe a log in, such as `journalctl -u tollgate -o cat -f | tollgate logs`.",
  );
}

/** The line as it is printed; null: it is not asked for. What is no line of ours stays as it is, unless something was asked for. */
function shownLine(line: string, options: LogOptions, screen: Screen): string | null {
  const entry = readLine(line);
  if (entry === null) return isFiltered(options) || line === "" ? null : line;
  if (!matches(entry, options)) return null;
  if (options.json) return line;
  return isRequest(entry) ? requestText(entry, screen) : eventText(entry, screen);
}

const isFiltered = ({ level, status, key, request }: LogOptions): boolean =>
  level !== "trace" || status !== undefined || key !== undefined || request !== undefined;

function readLine(line: string): LoggedEvent | null {
  if (!line.startsWith("{")) return null;
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) && ["time", "level", "msg"].every((name) => typeof entry[name] === "string")
      ? (entry as LoggedEvent)
      : null;
  } catch {
    return null;
  }
}

function matches(entry: LoggedEvent, { level, status, key, request }: LogOptions): boolean {
  if (LEVELS.indexOf(entry.level) < LEVELS.indexOf(level)) return false;
  if (status !== undefined && !(isRequest(entry) && status.test(String(entry.status)))) return false;
  const { key_prefix: prefix } = entry;
  if (key !== undefined && !(typeof prefix === "string" && prefix.startsWith(key))) return false;
  return request === undefined || entry["request_id"] === request;
}

const isRequest = (entry: LoggedEvent): entry is LoggedEvent & LoggedRequest =>
  entry.msg === "request" && typeof entry["total_ms"] === "number" && typeof entry["route"] === "string";

function statusPattern(text: string): RegExp {
  if (!/^[1-5](?:\d\d|xx)$/.test(text)) throw new InvalidArgumentError("It must be a status such as 402 or 5xx.");
  return new RegExp(`^${text.replace("xx", "\\d\\d")}$`);
}
