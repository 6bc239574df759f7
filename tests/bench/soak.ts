/**
 * Keeps Tollgate under a steady share of its own capacity and looks whether anything drifts: rate, p99, resident memory, promoted
 * bytes. Usage: npm run bench:soak -- [--minutes N] [--share S] [--json FILE] [--svg FILE] [--main FILE] [--flags "FLAGS"]
 * Exit codes: 0 everything is flat; 1 something is not, or could not be measured; 2 wrong options.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { capacityOf } from "./measure-half.ts";
import { messageOf } from "./message-of.ts";
import { parseOptions } from "./options.ts";
import { probe } from "./probe.ts";
import { createProcesses } from "./processes.ts";
import { residentBytesOf } from "./process-usage.ts";
import { setStage } from "./set-stage.ts";
import { measureSlice, type SliceRequest } from "./slice.ts";
import { soakChartOf, soakTable } from "./soak-chart.ts";
import { driftsOf, type Minute, soakMisses } from "./soak-verdict.ts";
import type { Stage } from "./stage.ts";
import { type Subject, TOLLGATE } from "./subject.ts";
import { numberText } from "./table.ts";
import { whyDisturbed } from "./validity.ts";

const MINUTE_MS = 60_000;
const MOST_MINUTES = 600;
/** As many requests as may be under way, so that one that must wait does so in the gateway and not in the generator. */
const CONNECTIONS = 256;

type Wishes = { minutes: number; share: number; json: string | null; svg: string | null; bench: string[] };

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  let wishes: Wishes;
  try {
    wishes = wishesOf(words);
  } catch (error) {
    process.stderr.write(`bench:soak: ${messageOf(error)}\n`);
    return 2;
  }
  const processes = createProcesses();
  const scratchFolder = mkdtempSync(join(tmpdir(), "tollgate-soak-"));
  process.once("exit", () => {
    processes.killAll();
    rmSync(scratchFolder, { recursive: true, force: true });
  });
  // Whoever interrupts it still gets what was measured until then.
  let interrupted = false;
  process.once("SIGINT", () => {
    interrupted = true;
    process.stderr.write("bench:soak: ends after this minute\n");
    process.once("SIGINT", () => process.exit(130));
  });
  process.once("SIGTERM", () => process.exit(143));

  const startedMs = performance.now();
  const progress = (text: string): void => {
    process.stderr.write(`${String(Math.round((performance.now() - startedMs) / 1000)).padStart(5)} s  ${text}\n`);
  };
  const options = parseOptions(["--only", "half", ...wishes.bench]);
  if (options === "help") return 2;
  try {
    const stage = await setStage({ options, processes, scratchFolder, progress });
    try {
      return await soak(stage, wishes, () => interrupted);
    } finally {
      await processes.stopAll();
      await stage.close();
    }
  } catch (error) {
    process.stderr.write(`bench:soak: ${messageOf(error)}\n`);
    return 1;
  } finally {
    await processes.stopAll();
  }
}

function wishesOf(words: readonly string[]): Wishes {
  const { values } = parseArgs({
    args: [...words],
    options: {
      minutes: { type: "string", default: "60" },
      share: { type: "string", default: "0.7" },
      json: { type: "string" },
      svg: { type: "string" },
      main: { type: "string" },
      flags: { type: "string" },
    },
  });
  const [minutes, share] = [Number(values.minutes), Number(values.share)];
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MOST_MINUTES)
    throw new Error(`--minutes takes a whole number from 1 to ${MOST_MINUTES}`);
  if (!(share > 0 && share <= 1)) throw new Error("--share takes a number above 0, up to 1");
  const bench = (["main", "flags"] as const).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}=${values[name]}`],
  );
  return { minutes, share, json: values.json ?? null, svg: values.svg ?? null, bench };
}

async function soak(stage: Stage, wishes: Wishes, interrupted: () => boolean): Promise<number> {
  const tollgate = stage.subjects.find(({ name }) => name === TOLLGATE);
  if (tollgate === undefined) throw new Error("Tollgate takes no part");
  const expected = await probe(tollgate, { dialect: "chat", kind: "plain" });
  const request: SliceRequest = {
    mode: "closed",
    dialect: "chat",
    kind: "plain",
    model: tollgate.models.plain,
    expected,
  };
  const capacity = await capacityOf(stage, tollgate, request);
  const ratePerSecond = Math.round(capacity * wishes.share);
  const heading = `Plain requests at ${ratePerSecond.toLocaleString("en")} per second, ${wishes.share} of the capacity. ${stage.generator.kind} load generator and provider, Node ${process.version.slice(1)}.`;
  stage.progress(heading);

  const minutes: Minute[] = [];
  while (minutes.length < wishes.minutes && !interrupted()) {
    const number = minutes.length + 1;
    minutes.push(await measureMinute({ stage, tollgate, request: { ...request, ratePerSecond }, number }));
    publish(minutes, { ...wishes, heading, capacity, ratePerSecond });
  }
  process.stdout.write(`## ${heading}\n\n${soakTable(minutes)}\n`);
  const misses = soakMisses(minutes);
  for (const miss of misses) process.stderr.write(`bench:soak: ${miss}\n`);
  return misses.length === 0 ? 0 : 1;
}

type Turn = { stage: Stage; tollgate: Subject; request: SliceRequest; number: number };

async function measureMinute({ stage, tollgate, request, number }: Turn): Promise<Minute> {
  const slice = await measureSlice(stage, tollgate, {
    ...request,
    mode: "open",
    connections: CONNECTIONS,
    durationMs: MINUTE_MS,
  });
  const { result, used, shares, garbage } = slice;
  const minute: Minute = {
    minute: number,
    rate: (result.inTime / result.durationMs) * 1000,
    p50Ms: result.latencyMicros.p50 / 1000,
    p99Ms: result.latencyMicros.p99 / 1000,
    residentMiB: residentBytesOf(tollgate.process?.pid ?? 0) / 2 ** 20,
    promotedKb: (garbage?.promotedBytes ?? 0) / Math.max(1, result.requests) / 1000,
    allocatedKb: (garbage?.allocatedBytes ?? 0) / Math.max(1, result.requests) / 1000,
    cpuMicros: (used.subject.mainMicros + used.subject.otherMicros) / Math.max(1, result.requests),
    databaseMicros: used.databaseMicros / Math.max(1, result.requests),
    requests: result.requests,
    failures: result.failures,
    firstFailure: result.firstFailure,
    disturbed: whyDisturbed(result, shares, result.latenessMicros.p50),
  };
  stage.progress(
    `minute ${number}: ${numberText(minute.rate)}/s p50 ${numberText(minute.p50Ms)} ms p99 ${numberText(minute.p99Ms)} ms · ` +
      `${numberText(minute.residentMiB)} MiB · ${numberText(minute.promotedKb)} KB promoted · ${minute.failures} failed` +
      (minute.disturbed === null ? "" : ` · disturbed: ${minute.disturbed}`),
  );
  return minute;
}

type Published = Wishes & { heading: string; capacity: number; ratePerSecond: number };

/** After every minute, so that a run that is cut short leaves what it had. */
function publish(minutes: readonly Minute[], { json, svg, heading, capacity, ratePerSecond, share }: Published): void {
  if (json !== null) {
    const told = {
      heading,
      capacity,
      share,
      ratePerSecond,
      drifts: driftsOf(minutes),
      misses: soakMisses(minutes),
      minutes,
    };
    writeFileSync(json, `${JSON.stringify(told, null, 2)}\n`);
  }
  if (svg !== null) writeFileSync(svg, soakChartOf(minutes, heading));
}
