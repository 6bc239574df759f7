import type { CrossingSlice } from "./crossings.ts";
import { measureBurst } from "./measure-burst.ts";
import { measureChain } from "./measure-chain.ts";
import { measureCrossings } from "./measure-crossings.ts";
import { measureGarbage } from "./measure-garbage.ts";
import { measureHalf } from "./measure-half.ts";
import { measureHeld } from "./measure-held.ts";
import { measureLoad } from "./measure-load.ts";
import { measureLone } from "./measure-lone.ts";
import { measureMemory } from "./measure-memory.ts";
import { messageOf } from "./message-of.ts";
import type { Phase } from "./options.ts";
import { readTail } from "./read-tail.ts";
import type { Sheet } from "./sheet.ts";
import type { Stage } from "./stage.ts";
import { BARE, BEFORE, TOLLGATE } from "./subject.ts";
import type { Tail } from "./tail.ts";
import { warmUpAll } from "./warm-up.ts";

export type Findings = { sheets: Sheet[]; translated: CrossingSlice[]; tail: Tail | null };

const LONE_PER_SECOND = [20, 200, 1_000];
const FIRST_BYTE_PER_SECOND = [20, 200];

/** Runs the phases that were asked for, in the order of the tables. A phase that breaks off does not cost the others. */
export async function runPhases(stage: Stage): Promise<Findings> {
  const findings: Findings = { sheets: [], translated: [], tail: null };
  const own = withoutPeers(stage);
  const sheet = async (measured: Promise<Sheet>): Promise<void> => void findings.sheets.push(await measured);
  const phases: Record<Phase, () => Promise<void>> = {
    plain: () => sheet(measureLoad(stage, { dialect: "chat", kind: "plain" })),
    stream: () => sheet(measureLoad(stage, { dialect: "chat", kind: "stream" })),
    chain: () => sheet(measureChain(stage)),
    lone: async () => {
      await warmUpAll(stage, "plain");
      for (const ratePerSecond of LONE_PER_SECOND) await sheet(measureLone(stage, { kind: "plain", ratePerSecond }));
    },
    half: async () => {
      const { sheet: measured, windows } = await measureHalf(stage);
      findings.sheets.push(measured);
      const tollgate = stage.subjects.find(({ name }) => name === TOLLGATE);
      if (tollgate?.tailFile !== undefined) findings.tail = await readTail(tollgate, windows);
    },
    garbage: () => sheet(measureGarbage(stage)),
    "first-byte": async () => {
      await warmUpAll(stage, "stream");
      for (const ratePerSecond of FIRST_BYTE_PER_SECOND)
        await sheet(measureLone(stage, { kind: "stream", ratePerSecond }));
    },
    burst: () => sheet(measureBurst(stage)),
    responses: async () => {
      for (const kind of ["plain", "stream"] as const) await sheet(measureLoad(own, { dialect: "responses", kind }));
    },
    messages: async () => {
      for (const kind of ["plain", "stream"] as const) await sheet(measureLoad(own, { dialect: "messages", kind }));
    },
    translated: async () => void findings.translated.push(...(await measureCrossings(stage))),
    memory: () => sheet(measureMemory(stage)),
    held: () => sheet(measureHeld(own)),
  };
  for (const phase of Object.keys(phases) as Phase[]) {
    if (!stage.options.phases.has(phase)) continue;
    try {
      await phases[phase]();
    } catch (error) {
      stage.missing.push(`${phase}: ${messageOf(error)}`);
      stage.progress(`! ${phase}: ${messageOf(error)}`);
    }
  }
  return findings;
}

/** Peers are measured with chat completions, which all of them speak. */
function withoutPeers(stage: Stage): Stage {
  return { ...stage, subjects: stage.subjects.filter(({ name }) => [BARE, TOLLGATE, BEFORE].includes(name)) };
}
