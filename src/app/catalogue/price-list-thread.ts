import { parentPort, workerData } from "node:worker_threads";
import { ConfigError } from "../../config/config-error.ts";
import { listVendors, parseFactor, readPriceList } from "../../config/price-list/read-price-list.ts";
import { invariant } from "../../core/invariant.ts";
import type { PriceList, PriceListChoice } from "../../core/catalogue/price-list.ts";
import { didYouMean, suggest } from "../../core/text/suggest.ts";

export type PriceListTask = { text: string; choice: PriceListChoice; creditUsd: string };
export type PriceListReply = { list: PriceList } | { param: "list" | "vendor" | "markup"; problem: string };

/** How the list is called where it can't be read; it has no name here. */
const NAME = "list";

/** The thread in which one price list is read. */
parentPort?.postMessage(replyTo(workerData as PriceListTask), []);

function replyTo({
  text,
  choice: { vendor, match, markup: given, ...carry },
  creditUsd: value,
}: PriceListTask): PriceListReply {
  const [markup, creditUsd] = [parseFactor(given), parseFactor(value)];
  invariant(creditUsd, "a credit is worth something");
  if (markup === null)
    return {
      param: "markup",
      problem: "Input should be a decimal above zero, such as 1.2, with at most nine decimal places",
    };
  try {
    const list = readPriceList(text, NAME, { vendor, match, exchange: { markup, creditUsd }, carry });
    if (list.models.length > 0 || /[*?]/.test(vendor)) return { list };
    const known = listVendors(text, NAME);
    if (known.includes(vendor)) return { list };
    const meant = didYouMean(suggest(vendor, known)) || ".";
    return { param: "vendor", problem: `The list has no vendor ${JSON.stringify(vendor)}${meant}` };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first] = error.problems;
    return { param: "list", problem: first === undefined ? error.message : `${first.source}: ${first.message}` };
  }
}
