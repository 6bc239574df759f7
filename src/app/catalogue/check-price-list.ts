import type { PriceCheckEnd } from "../../catalogue/price-check-store.ts";
import { listDifferences } from "../../core/catalogue/list-differences.ts";
import type { CheckedProvider, ProviderDifferences } from "../../core/catalogue/price-check.ts";
import type { ReadPriceList } from "../../core/catalogue/price-list.ts";
import { Conflict } from "../../core/conflict.ts";
import { Fault } from "../../core/fault.ts";
import type { CatalogueDesk } from "../../catalogue/model.ts";

type Parts = {
  /** The text of the list; null: the one in the package. */
  fetchList: () => Promise<string | null>;
  readPriceList: ReadPriceList;
  importModels: CatalogueDesk["importModels"];
  /** Those that have an address, by name. */
  providers: () => Promise<readonly string[]>;
  /** Empty: all of them, by their own names. */
  checked: readonly CheckedProvider[];
};

/** So many are named; of the others their number. */
const MOST_NAMED = 200;
const LONGEST_PROBLEM = 500;

/** Compares a list with the prices in force. What keeps it from that is told as a problem; a failure of the database is thrown. */
export async function checkPriceList(parts: Parts): Promise<PriceCheckEnd> {
  try {
    return await compareAll(parts);
  } catch (error) {
    if (!(error instanceof Fault || error instanceof Conflict)) throw error;
    return { problem: error.message.slice(0, LONGEST_PROBLEM) };
  }
}

async function compareAll({ fetchList, checked, providers, ...parts }: Parts): Promise<PriceCheckEnd> {
  const text = await fetchList();
  const own = (await providers()).map((provider) => ({ provider, vendor: provider, markup: "1" }));
  const compared: ProviderDifferences[] = [];
  const unlisted: string[] = [];
  for (const one of checked.length > 0 ? checked : own) {
    try {
      compared.push({ ...one, models: await compare(text, one, parts) });
    } catch (error) {
      // A provider whose name was not written down may be known to the list by another, or not at all.
      if (checked.length > 0 || !(error instanceof Fault && error.param === "vendor")) throw error;
      unlisted.push(one.provider);
    }
  }
  const differing = compared.filter(({ models }) => models.length > 0);
  const models = differing.reduce((sum, each) => sum + each.models.length, 0);
  return { found: { models, differences: firstOf(differing), unlisted } };
}

async function compare(
  text: string | null,
  { provider, vendor, markup }: CheckedProvider,
  { readPriceList, importModels }: Pick<Parts, "readPriceList" | "importModels">,
) {
  const choice = { vendor, match: "*", markup, free: false, dearest: false };
  const { models } = await readPriceList({ text, acceptOld: false }, choice);
  return listDifferences(await importModels({ provider, publication: "unpublished", models }, "preview"));
}

function firstOf(differing: readonly ProviderDifferences[]): ProviderDifferences[] {
  let left = MOST_NAMED;
  return differing.map(({ models, ...one }) => {
    const named = models.slice(0, left);
    left -= named.length;
    return { ...one, models: named };
  });
}
