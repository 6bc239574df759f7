import type { CrossingSlice } from "./crossings.ts";
import { measureBurst } from "./measure-burst.ts";
import { measureCrossings } from "./measure-crossings.ts";
import { measureLoad } from "./measure-load.ts";
import { measureLone } from "./measure-lone.ts";
import { measureMemory } from "./measure-memory.ts";
import type { Sheet } from "./sheet.ts";
import type { Stage } from "./stage.ts";
import { BARE, BEFORE, TOLLGATE } from "./subject.ts";

export type Findings = { sheets: Sheet[]; translated: CrossingSlice[] };

const LONE_PER_SECOND = [20, 200, 1_000];
const FIRST_BYTE_PER_SECOND = [20, 200];

/** Runs the phases that were asked for, in the order of the tables. */
export async function runPhases(stage: Stage): Promise<Findings> {
  const { phases } = stage.options;
  const sheets: Sheet[] = [];
  for (const kind of ["plain", "stream"] as const) {
    if (phases.has(kind)) sheets.push(await measureLoad(stage, { dialect: "chat", kind }));
  }
  if (phases.has("lone")) {
    for (const ratePerSecond of LONE_PER_SECOND)
      sheets.push(await measureLone(stage, { kind: "plain", ratePerSecond }));
  }
  if (phases.has("first-byte")) {
    for (const ratePerSecond of FIRST_BYTE_PER_SECOND)
      sheets.push(await measureLone(stage, { kind: "stream", ratePerSecond }));
  }
  if (phases.has("burst")) sheets.push(await measureBurst(stage));
  const own = withoutPeers(stage);
  for (const dialect of ["responses", "messages"] as const) {
    if (!phases.has(dialect)) continue;
    for (const kind of ["plain", "stream"] as const) sheets.push(await measureLoad(own, { dialect, kind }));
  }
  const translated = phases.has("translated") ? await measureCrossings(stage) : [];
  if (phases.has("memory")) sheets.push(await measureMemory(stage));
  return { sheets, translated };
}

/** Peers are held against in chat completions, which all of them speak. */
function withoutPeers(stage: Stage): Stage {
  return { ...stage, subjects: stage.subjects.filter(({ name }) => [BARE, TOLLGATE, BEFORE].includes(name)) };
}
