import type { ModelDifference } from "./list-differences.ts";

/** Whose prices of a list are compared with a provider's, and at which factor. `vendor`: its name in the list. */
export type CheckedProvider = { provider: string; vendor: string; markup: string };

/** Models of one provider that a list would change. */
export type ProviderDifferences = CheckedProvider & { models: readonly ModelDifference[] };

/** What checks of the price list have found. */
export type PriceCheck = {
  /** The list, without what of its address may be secret. */
  list: string;
  /** When the last one began. */
  atMs: number;
  /** Why the last one failed; null: it did not. */
  problem: string | null;
  failingSinceMs: number | null;
  /** Of the last one that did not fail; null: none yet. */
  found: {
    atMs: number;
    /** Since when it is what is found. */
    sinceMs: number;
    /** Models that differ, of which `differences` names the first. */
    models: number;
    differences: readonly ProviderDifferences[];
    /** Providers of ours that the list does not have. */
    unlisted: readonly string[];
    /** Whether a price was changed since. */
    isStale: boolean;
  } | null;
};

const LISTS: Readonly<Record<string, string>> = {
  litellm: "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json",
  "models.dev": "https://models.dev/api.json",
};

export const OFF = "off";
export const SHIPPED = "shipped";

/** Where a list that the settings name is found. Null: it is the one in the package. */
export const urlOfList = (list: string): string | null => (list === SHIPPED ? null : (LISTS[list] ?? list));

/** How a list is shown: an address without its query, which may hold a token. */
export function nameOfList(list: string): string {
  const url = /^https?:/i.test(list) ? URL.parse(list) : null;
  return url === null ? list : `${url.origin}${url.pathname}`;
}

const MOST_PROVIDERS = 64;
const PROVIDER = /^([^\s=*,]{1,100})(?:=([^\s=*,]{1,100}))?(?:\*(\d{1,9}(?:\.\d{1,9})?))?$/;

/** Reads `NAME`, `NAME=VENDOR` and `NAME*FACTOR`, separated by commas. Null when it is nothing of the kind. */
export function readCheckedProviders(text: string): CheckedProvider[] | null {
  const entries = text.trim() === "" ? [] : text.split(",").map((entry) => PROVIDER.exec(entry.trim()));
  const read = entries.flatMap((entry) => {
    const [, provider, vendor = provider, markup = "1"] = entry ?? [];
    return provider === undefined || vendor === undefined || !/[1-9]/.test(markup)
      ? []
      : [{ provider, vendor, markup }];
  });
  const isWhole = read.length === entries.length && read.length <= MOST_PROVIDERS;
  return isWhole && new Set(read.map(({ provider }) => provider)).size === read.length ? read : null;
}
