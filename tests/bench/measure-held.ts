import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { coreSharesOf, describeShares } from "./core-shares.ts";
import { probe } from "./probe.ts";
import { residentBytesOf } from "./process-usage.ts";
import { type Column, type Measured, type Sheet, sheetOf } from "./sheet.ts";
import { holdStreams } from "./slice.ts";
import type { Stage } from "./stage.ts";
import { usageOf, usedBetween } from "./usage.ts";
import { whyDisturbed } from "./validity.ts";

const SETTLE_MS = 2_000;
/** Streams are opened in groups, so that neither accept queues nor the provider are taken by storm. */
const AT_ONCE = 100;
/** Files that a process has open besides the two sockets of each stream. */
const OTHER_FILES = 200;

/** Very many open streams with an event a second each, for a minute: whether all stay, how late events are, and what it costs. */
export async function measureHeld(stage: Stage): Promise<Sheet> {
  const { heldMs } = stage.options;
  const streams = Math.min(stage.options.manyStreams, Math.floor((mostFiles() - OTHER_FILES) / 2));
  if (streams < stage.options.manyStreams)
    stage.progress(
      `! held: ${streams} streams, since a process may have ${mostFiles()} files open and that cannot be raised`,
    );
  const slices: Measured[] = [];
  for (const { name } of stage.subjects) {
    slices.push({ subject: name, round: 1, ...(await measureFresh(stage, name, streams)) });
  }
  const title = `${streams.toLocaleString("en")} streams open for ${heldMs / 1000} s, one event per second each`;
  return sheetOf({ id: "held", title, columns: COLUMNS, slices });
}

async function measureFresh(
  stage: Stage,
  name: string,
  streams: number,
): Promise<Pick<Measured, "values" | "invalid">> {
  const fresh = await stage.restart(name);
  const pid = fresh.process?.pid ?? 0;
  await probe(fresh, { dialect: "chat", kind: "stream" });
  await pause(SETTLE_MS);
  const idleBytes = residentBytesOf(pid);
  const { slice, loadPids, look, release } = await holdStreams(stage, fresh, { streams, atOnce: AT_ONCE });
  const { opened, openedMs, refused, firstFailure } = slice.result;
  stage.progress(
    `held ${name.padEnd(8)} ${opened} open after ${(openedMs / 1000).toFixed(1)} s, ${refused} refused ${firstFailure}`,
  );

  const watched = { subjectPid: pid, databasePid: fresh.databasePid, loadPids, cores: stage.processes.cores };
  const [before, first, startedMs] = [usageOf(watched), await look(), performance.now()];
  await pause(stage.options.heldMs);
  const [after, last, elapsedMs] = [usageOf(watched), await look(), performance.now() - startedMs];
  const heldBytes = residentBytesOf(pid);
  await release();
  await fresh.process?.stop();

  const used = usedBetween(before, after);
  const events = last.events - first.events;
  const values = {
    open: opened - last.lost,
    lost: refused + last.lost,
    perStream: (heldBytes - idleBytes) / Math.max(1, opened) / 1024,
    events: (events / elapsedMs) * 1000,
    delayP50: last.delayMicros === null ? null : last.delayMicros.p50 / 1000,
    delayP99: last.delayMicros === null ? null : last.delayMicros.p99 / 1000,
    cpu: (used.subject.mainMicros + used.subject.otherMicros) / Math.max(1, events),
    database: used.databaseMicros === 0 ? null : used.databaseMicros / 1000 / (elapsedMs / 1000),
  };
  const firstLoss = last.firstLoss === "" ? firstFailure : last.firstLoss;
  const shares = coreSharesOf(used, elapsedMs);
  stage.progress(
    `held ${name.padEnd(8)} ${values.open} still open, ${values.lost} refused or lost ${firstLoss} · ` +
      `${values.perStream.toFixed(1)} KiB per stream · ${describeShares(shares)}`,
  );
  // Streams that were refused or lost are a figure of their own.
  return { values, invalid: whyDisturbed({ requests: opened, failures: 0, firstFailure: "" }, shares, 0) };
}

/** The hard limit, to which Node and the rig raise their own. */
function mostFiles(): number {
  const line = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"));
  return Number(line?.[1] ?? 1024);
}

const lower = { better: "lower", compared: "no" } as const;
const COLUMNS: Column[] = [
  { id: "open", title: "open at the end", unit: "streams", better: "higher", compared: "no" },
  { id: "lost", title: "refused or lost", unit: "streams", ...lower },
  { id: "perStream", title: "per open stream", unit: "KiB", better: "lower", compared: "yes" },
  { id: "events", title: "events", unit: "1/s", better: "higher", compared: "no" },
  { id: "delayP50", title: "delay of an event p50", unit: "ms", ...lower },
  { id: "delayP99", title: "p99", unit: "ms", ...lower },
  { id: "cpu", title: "processor time", unit: "µs per event", better: "lower", compared: "yes" },
  { id: "database", title: "PostgreSQL", unit: "ms per second", ...lower },
];
