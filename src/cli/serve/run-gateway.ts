import cluster from "node:cluster";
import { type Gateway, type GatewayParts, startGateway } from "../../app.ts";
import type { Telemetry } from "./open-telemetry.ts";
import { openParentLine } from "./parent-line.ts";
import { untilDismissed } from "./until-dismissed.ts";
import { untilSignal } from "./until-signal.ts";

/** Runs a gateway until it is asked to end, then drains it. */
export async function runGateway(
  parts: Omit<GatewayParts, "exposeTotals">,
  telemetry: Telemetry,
  onReady: (gateway: Gateway) => void | Promise<void>,
): Promise<void> {
  process.on("uncaughtException", (error) => die(error, telemetry));
  process.on("unhandledRejection", (error) => die(error, telemetry));
  // Before the start, since a parent may change its mind while its workers are starting.
  const dismissed = cluster.isWorker ? untilDismissed() : null;
  const line = openParentLine(telemetry.metrics);
  const gateway = await startGateway({ ...parts, exposeTotals: line.exposeTotals });
  const asked = dismissed ?? untilSignal();
  line.sayServing();
  await onReady(gateway);
  await asked;
  await gateway.stop();
  await telemetry.close();
  await line.leave();
}

/** A state nobody foresaw is not one to go on from: open holds are swept, and the process is started again by whoever runs it. */
function die(error: unknown, { events, logger }: Telemetry): void {
  events.bug(error, null);
  logger.flush();
  process.exit(1);
}
