import { listAgeDays, MOST_LIST_AGE_DAYS, readShippedList } from "../../config/shipped-list.ts";
import { readTextFile } from "../../config/read/read-text-file.ts";
import type { ListDate } from "../../core/catalogue/price-list.ts";
import { CommandError } from "../report-failure.ts";
import { confirm } from "./confirm.ts";

/** `path`: how problems in it are told. `shipped`: null unless it is the list of the package. */
export type OpenedList = { text: string; path: string; shipped: ListDate | null };

type Wish = { acceptOld: boolean; nowMs: number };

/** The price list that a command names; without one, the list of the package, after a question when it is old. */
export async function openPriceList(source: string | undefined, { acceptOld, nowMs }: Wish): Promise<OpenedList> {
  if (source === undefined) return openShipped({ acceptOld, nowMs });
  const { fetchPriceList, MOST_LIST_BYTES } = await import("../../app/catalogue/fetch-price-list.ts");
  const text = /^https?:\/\//i.test(source)
    ? await fetchPriceList(source).catch((error: Error) => {
        throw new CommandError(`${source} can't be read: ${error.message}.`);
      })
    : readTextFile(source, MOST_LIST_BYTES);
  if (!/^\s*\{/.test(text))
    throw new CommandError(`${source} is not a JSON object. Save the list itself, not the web page that shows it.`);
  return { text, path: source, shipped: null };
}

async function openShipped({ acceptOld, nowMs }: Wish): Promise<OpenedList> {
  const { text, date } = readShippedList();
  const ageDays = listAgeDays(date, nowMs);
  if (ageDays > MOST_LIST_AGE_DAYS && !acceptOld) {
    await confirm({
      about: `the price list that ships with Tollgate is of ${date}, ${ageDays} days ago, and prices have changed since. Name the file or URL of a current list, or use this one.`,
      option: "--accept-old-list",
      declined: "nothing was imported.",
    });
  }
  return { text, path: "shipped price list", shipped: { date, ageDays } };
}
