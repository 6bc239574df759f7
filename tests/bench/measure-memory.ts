import { setTimeout as pause } from "node:timers/promises";
import { probe } from "./probe.ts";
import { residentBytesOf } from "./process-usage.ts";
import { type Column, type Measured, type Sheet, sheetOf } from "./sheet.ts";
import { holdStreams } from "./slice.ts";
import { fewer, type Stage } from "./stage.ts";

/** Until the collector has had its turn and the numbers stand still. */
const SETTLE_MS = 2_000;
/** Streams are opened in groups, so that neither accept queues nor the provider are taken by storm. */
const AT_ONCE = 50;

/**
 * Resident memory with many streams open, minus that before, per stream. Every round has a new process: in one that has been
 * under load, the streams would find room that the load has left behind and cost nothing.
 */
export async function measureMemory(stage: Stage): Promise<Sheet> {
  const slices: Measured[] = [];
  const rounds = fewer(stage.options.slices);
  for (const { name } of stage.subjects) {
    for (let round = 1; round <= rounds; round += 1) {
      const { opened, idleBytes, heldBytes, firstFailure } = await measureFresh(stage, name);
      const values = { perStream: (heldBytes - idleBytes) / opened / 1024, idle: idleBytes / 2 ** 20 };
      slices.push({ subject: name, round, values, invalid: firstFailure === "" ? null : firstFailure });
      stage.progress(
        `memory ${round}/${rounds} ${name.padEnd(8)} ${values.perStream.toFixed(1)} KiB per stream · ${opened} open · idle ${values.idle.toFixed(1)} MiB`,
      );
    }
  }
  const title = `Memory, ${stage.options.heldStreams.toLocaleString("en")} streams open`;
  return sheetOf({ id: "memory", title, columns: COLUMNS, slices });
}

async function measureFresh(stage: Stage, name: string) {
  const fresh = await stage.restart(name);
  const pid = fresh.process?.pid ?? 0;
  // One stream before the first reading: code that is loaded on first use is no cost of a stream.
  await probe(fresh, { dialect: "chat", kind: "stream" });
  await pause(SETTLE_MS);
  const idleBytes = residentBytesOf(pid);
  const { slice, release } = await holdStreams(stage, fresh, { streams: stage.options.heldStreams, atOnce: AT_ONCE });
  await pause(SETTLE_MS);
  const heldBytes = residentBytesOf(pid);
  await release();
  await fresh.process?.stop();
  return { idleBytes, heldBytes, opened: slice.result.opened, firstFailure: slice.result.firstFailure };
}

const COLUMNS: Column[] = [
  { id: "perStream", title: "per open stream", unit: "KiB", better: "lower", compared: "yes" },
  { id: "idle", title: "idle", unit: "MiB", better: "lower", compared: "no" },
];
