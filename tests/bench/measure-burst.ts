import { type Column, type Measured, type Sheet, sheetOf } from "./sheet.ts";
import { holdStreams } from "./slice.ts";
import { fewer, inOrder, type Stage } from "./stage.ts";
import { whyDisturbed } from "./validity.ts";

/** Streams opened within a second on a process that has done nothing yet: how many are refused, how long until all are open. */
export async function measureBurst(stage: Stage): Promise<Sheet> {
  const streams = stage.options.burstStreams;
  const rounds = fewer(stage.options.slices);
  const slices: Measured[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const { name } of inOrder(stage.subjects, round)) {
      const fresh = await stage.restart(name);
      const { slice, release } = await holdStreams(stage, fresh, { streams, atOnce: streams, ratePerSecond: streams });
      await release();
      await fresh.process?.stop();
      const { openedMs, firstByteMicros, opened, refused, firstFailure } = slice.result;
      const values = { opened: openedMs, half: firstByteMicros.p50 / 1000, refused };
      const answered = { requests: opened + refused, failures: 0, firstFailure };
      slices.push({ subject: name, round, values, invalid: whyDisturbed(answered, slice.shares, 0) });
      const refusals = refused === 0 ? "" : ` · ${refused} refused, the first with ${firstFailure}`;
      stage.progress(
        `burst ${round}/${rounds} ${name.padEnd(8)} ${opened} open after ${Math.round(openedMs)} ms${refusals}`,
      );
    }
  }
  const ordered = stage.subjects.flatMap(({ name }) => slices.filter(({ subject }) => subject === name));
  const title = `${streams.toLocaleString("en")} streams opened within a second on a fresh process`;
  return sheetOf({ id: "burst", title, columns: COLUMNS, slices: ordered });
}

const COLUMNS: Column[] = [
  { id: "opened", title: "until all are open", unit: "ms", better: "lower", compared: "yes" },
  { id: "half", title: "until half are open", unit: "ms", better: "lower", compared: "no" },
  { id: "refused", title: "refused", unit: "streams", better: "lower", compared: "no" },
];
