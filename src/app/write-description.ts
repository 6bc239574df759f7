import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { WriteDescription } from "../core/description.ts";

/** In the published package this file is JavaScript, and so is that one. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./description-thread.ts" : "./description-thread.js",
  import.meta.url,
);

/**
 * Writes a description in a thread of its own, once somebody asks for it [decision 0041]. Written at every start, the four of them were a
 * quarter of the processor time that a start takes; in this thread, they would keep every stream waiting.
 */
export const writeDescription: WriteDescription = async (order) => {
  const worker = new Worker(ENTRY, { workerData: order });
  const [text] = (await once(worker, "message")) as [string];
  return text;
};
