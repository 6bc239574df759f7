import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { nameOfList, OFF, urlOfList } from "../../core/catalogue/price-check.ts";
import { fieldFault } from "../../core/fault.ts";
import { listAgeDays, MOST_LIST_AGE_DAYS, readShippedList } from "../../config/shipped-list.ts";
import type { Clock } from "../../core/clock.ts";
import { Conflict } from "../../core/conflict.ts";
import type { ListDate, ListSource, ReadPriceList } from "../../core/catalogue/price-list.ts";
import { fetchPriceList, type Means } from "./fetch-price-list.ts";
import type { PriceListReply, PriceListTask } from "./price-list-thread.ts";

/** In the published package this file is JavaScript, and so is that one. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./price-list-thread.ts" : "./price-list-thread.js",
  import.meta.url,
);
const MOST_HEAP_MEBIBYTES = 512;
const MOST_READING_MS = 60_000;

/** The text of the list that the settings name; null: it is the one in the package. */
export async function fetchChecked(list: string, means: Means = {}): Promise<string | null> {
  if (list === OFF)
    throw fieldFault("checked_list", "The setting price_check.list is off. Name a list there, or send one.");
  const url = urlOfList(list);
  if (url === null) return null;
  return fetchPriceList(url, means).catch((error: Error) => {
    throw fieldFault("checked_list", `${nameOfList(list)} can't be read: ${error.message}.`);
  });
}

/** Reads a price list in a thread of its own: two megabytes of prices would keep the main one from every stream. */
type Parts = {
  creditUsd: string;
  /** `price_check.list`. */
  checkedList: string;
  clock: Pick<Clock, "nowMs">;
};

export const createReadPriceList =
  ({ creditUsd, checkedList, clock }: Parts): ReadPriceList =>
  async (source, choice) => {
    const named = source.isChecked === true ? await fetchChecked(checkedList) : source.text;
    const { text, shipped } = textOf({ ...source, text: named }, clock.nowMs());
    const task: PriceListTask = { text, choice, creditUsd };
    const worker = new Worker(ENTRY, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MEBIBYTES },
    });
    // A thread that ends without a word is told by an error; one that goes on for ever by nothing.
    const signal = AbortSignal.timeout(MOST_READING_MS);
    try {
      const [reply] = (await once(worker, "message", { signal })) as [PriceListReply];
      return wanted(reply, shipped);
    } catch (error) {
      if (!signal.aborted) throw error;
      throw fieldFault("list", `The list can't be read within ${MOST_READING_MS / 1_000} seconds.`);
    } finally {
      void worker.terminate();
    }
  };

function wanted(reply: PriceListReply, shipped: ListDate | null) {
  if ("list" in reply) return { ...reply.list, shipped };
  throw fieldFault(reply.param, reply.problem);
}

function textOf({ text: given, acceptOld }: ListSource, nowMs: number) {
  if (given !== null) return { text: given, shipped: null };
  const { text, date } = readShippedList();
  const ageDays = listAgeDays(date, nowMs);
  if (ageDays > MOST_LIST_AGE_DAYS && !acceptOld)
    throw new Conflict(
      `The price list that ships with Tollgate is of ${date}, ${ageDays} days ago, and prices have changed since. Use a current list, or accept this one (accept_old_list).`,
    );
  return { text, shipped: { date, ageDays } };
}
