import { setTimeout as pause } from "node:timers/promises";
import { type Figure, figureOf, type Sample } from "./figure.ts";
import { countEvents } from "./probe.ts";
import { residentBytesOf } from "./process-usage.ts";
import { runHold, type Stage } from "./stage.ts";
import type { SubjectName } from "./subject.ts";

export type MemoryRound = { subject: SubjectName; idleBytes: number; heldBytes: number; streams: number };

export type MemoryOutcome = { figures: Figure[]; rounds: MemoryRound[] };

/** Until the collector has had its turn and the numbers stand still. */
const SETTLE_MS = 2_000;

/**
 * Resident memory with many streams open, minus that before, per stream. Every round has a new process: in one that has been
 * under load, the streams would find room that the load has left behind and cost nothing.
 */
export async function measureMemory(stage: Stage): Promise<MemoryOutcome> {
  const rounds: MemoryRound[] = [];
  for (let round = 1; round <= stage.options.rounds; round += 1) {
    for (const proxy of stage.proxies) {
      const measured = await measureFresh(stage, proxy.name);
      rounds.push(measured);
      const kibibytes = perStreamKib(measured).toFixed(1);
      const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
      stage.progress(
        `memory round ${round}/${stage.options.rounds} ${proxy.name.padEnd(8)} ${kibibytes} KiB per stream` +
          ` · idle ${megabytes(measured.idleBytes)} · ${measured.streams} streams ${megabytes(measured.heldBytes)}`,
      );
    }
  }
  const samples: Sample[] = rounds.map((round) => ({
    subject: round.subject,
    value: perStreamKib(round),
    invalid: null,
  }));
  const title = `Memory per open stream, ${stage.options.heldStreams.toLocaleString("en")} open`;
  return { figures: [figureOf({ id: "memory", title, unit: "KiB", better: "lower", samples })], rounds };
}

async function measureFresh(stage: Stage, name: SubjectName): Promise<MemoryRound> {
  const fresh = await stage.restart(name);
  const { process } = fresh;
  if (process === null) throw new Error(`${name} has no process whose memory could be read`);
  const streams = stage.options.heldStreams;

  // One stream before the first reading: code that is loaded on first use is no cost of a stream.
  await countEvents(fresh, "chat");
  await pause(SETTLE_MS);
  const idleBytes = residentBytesOf(process.pid);
  const held = await runHold(stage, fresh, streams);
  await pause(SETTLE_MS);
  const heldBytes = residentBytesOf(process.pid);

  await held.release();
  await process.stop();
  return { subject: name, idleBytes, heldBytes, streams };
}

function perStreamKib({ idleBytes, heldBytes, streams }: MemoryRound): number {
  return (heldBytes - idleBytes) / streams / 1024;
}
