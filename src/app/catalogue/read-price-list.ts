import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { fieldFault } from "../../core/fault.ts";
import type { ReadPriceList } from "../../core/catalogue/price-list.ts";
import type { PriceListReply, PriceListTask } from "./price-list-thread.ts";

/** In the published package this file is JavaScript, and so is that one. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./price-list-thread.ts" : "./price-list-thread.js",
  import.meta.url,
);
const MOST_HEAP_MEBIBYTES = 512;

/** Reads LiteLLM's price list in a thread of its own: two megabytes of prices would keep the main one from every stream. */
export const createReadPriceList =
  (creditUsd: string): ReadPriceList =>
  async (text, choice) => {
    const task: PriceListTask = { text, choice, creditUsd };
    const worker = new Worker(ENTRY, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MEBIBYTES },
    });
    const [reply] = (await once(worker, "message")) as [PriceListReply];
    if ("list" in reply) return reply.list;
    throw fieldFault(reply.param, reply.problem);
  };
