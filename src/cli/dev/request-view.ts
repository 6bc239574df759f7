import type { Clock } from "../../core/clock.ts";
import { createLineAllowance } from "../../telemetry/log/line-allowance.ts";
import type { LineOutput } from "../../telemetry/log/line-output.ts";
import { grouped } from "../text/cell.ts";
import { type LoggedRequest, requestText } from "../text/requests/log-text.ts";
import type { Screen } from "../text/screen.ts";

const MOST_LINES = 20;
const PER_MS = 1_000;

type Parts = { output: Pick<LineOutput, "write">; screen: Screen; clock: Pick<Clock, "elapsedMs"> };

/**
 * Shows requests as they end, from the lines of the log, which hold neither prompts nor secrets. Of a burst the first few lines of
 * every second are shown, and how many were not.
 */
export function createRequestView({ output, screen, clock }: Parts): (line: string) => void {
  const allowance = createLineAllowance({ most: MOST_LINES, perMs: PER_MS, clock });
  let unshown = 0;
  const tellUnshown = (): void => {
    const words = unshown === 1 ? "1 more request" : `${grouped(unshown)} more requests`;
    output.write(`${screen.paint("secondary", `… ${words}, listed in the log`)}\n`);
    unshown = 0;
  };
  return (line) => {
    // Probes come every few seconds and tell nothing.
    if (!line.includes('"msg":"request"') || line.includes('"route":"health"')) return;
    if (allowance.take() !== null) {
      output.write(`${requestText(JSON.parse(line) as LoggedRequest, screen)}\n`);
      return;
    }
    if (unshown === 0) setTimeout(tellUnshown, PER_MS).unref();
    unshown++;
  };
}
