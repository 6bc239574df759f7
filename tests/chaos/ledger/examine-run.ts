import type { ClientEntry } from "./evidence.ts";
import { countsOf, examine, violationsOf } from "./invariants.ts";
import type { Stage } from "./stage.ts";
import { until } from "../../support/until.ts";

const ANSWERS_TIMEOUT_MS = 120_000;

/** Waits for rest, joins the witnesses and asks the operator's own check, for runs that are no test: throws on any violation. */
export async function examineRun(stage: Stage, name: string): Promise<void> {
  await stage.untilNothingHeld();
  const findings = examine(await stage.evidence());
  const hung = stage.clients.filter((client) => client.hung).length;
  console.log(`${name}: ${countsOf(findings)}; ${hung} hung`);
  const violations = violationsOf(findings);
  if (violations.length > 0) throw new Error(`${violations.length} violations:\n${violations.join("\n")}`);
  if (hung > 0) throw new Error(`${hung} answers never ended`);
  await verifyRun(stage);
}

/** Resolves when so many more answers have been seen whole. */
export async function answered(stage: Stage, count: number): Promise<void> {
  const told = (): number => stage.clients.filter(({ terminalAtMs }) => terminalAtMs !== null).length;
  const wanted = told() + count;
  await until(() => told() >= wanted, `${count} answers`, ANSWERS_TIMEOUT_MS);
}

export async function verifyRun(stage: Stage): Promise<void> {
  const { code, stdout, stderr } = await stage.tollgate("ledger", "verify");
  console.log(`tollgate ledger verify: exit ${code}, ${stdout.trim().replaceAll(/\s+/g, " ")}`);
  if (code !== 0) throw new Error(`the books do not add up: ${stdout}${stderr}`);
}

/** How the attempts of a phase ended: by status, and how many whole answers there were. */
export function tellPhase(name: string, clients: readonly ClientEntry[]): { unavailable: number; asked: number } {
  const statuses = new Map<string, number>();
  for (const { status } of clients) {
    const word = status === null ? "none" : String(status);
    statuses.set(word, (statuses.get(word) ?? 0) + 1);
  }
  const listed = [...statuses]
    .map(([status, count]) => `${status}: ${count}`)
    .toSorted((one, other) => one.localeCompare(other));
  const whole = clients.filter(({ terminalAtMs }) => terminalAtMs !== null).length;
  const longestMs = Math.max(0, ...clients.map(({ sentAtMs, contentAtMs }) => (contentAtMs ?? sentAtMs) - sentAtMs));
  console.log(
    `${name}: ${clients.length} asked (${listed.join(", ")}), ${whole} whole; longest wait for content ${longestMs} ms`,
  );
  const unavailable = clients.filter(({ status, left }) => (status === null && !left) || status === 503);
  return { unavailable: unavailable.length, asked: clients.length };
}
