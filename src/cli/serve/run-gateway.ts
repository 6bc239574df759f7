import cluster from "node:cluster";
import { type Gateway, type GatewayParts, startGateway } from "../../app.ts";
import { createWorkerEvents } from "../../telemetry/worker-events.ts";
import type { Telemetry } from "./open-telemetry.ts";
import { openParentLine } from "./parent-line.ts";
import { untilSignal } from "./until-signal.ts";
import { watchParent } from "./watch-parent.ts";

/** Runs a gateway until it is asked to end, then drains it. */
export async function runGateway(
  parts: Omit<GatewayParts, "exposeTotals">,
  telemetry: Telemetry,
  onReady: (gateway: Gateway) => void | Promise<void>,
): Promise<void> {
  process.on("uncaughtException", (error) => die(error, telemetry));
  process.on("unhandledRejection", (error) => die(error, telemetry));
  // Before the start, since a parent may change its mind while its workers are starting.
  const parent = cluster.isWorker ? watchParent() : null;
  const line = openParentLine(telemetry.metrics);
  let gateway: Gateway | null = null;
  void parent?.orphaned.then(() => orphaned(gateway, telemetry));
  gateway = await startGateway({ ...parts, exposeTotals: line.exposeTotals });
  const asked = parent?.dismissed ?? untilSignal();
  line.sayServing();
  await onReady(gateway);
  await asked;
  await gateway.stop();
  const { stalled } = await telemetry.close();
  await line.leave();
  if (stalled) process.exit();
}

/** Another process may take the ports at once. A worker that has no port yet would wait for it for ever. */
function orphaned(gateway: Gateway | null, { logger }: Telemetry): void {
  createWorkerEvents({ logger }).parentGone();
  if (gateway === null) process.exit(1);
  gateway.stopListening();
}

/** A state nobody foresaw is not one to go on from: open holds are swept, and the process is started again by whoever runs it. */
function die(error: unknown, { events }: Telemetry): void {
  events.bug(error, null);
  process.exit(1);
}
