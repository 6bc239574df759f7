import type { Feature } from "./product-features.ts";
import { type Denial, readDenials } from "./read-denials.ts";

export type UntrueDenial = Denial & { proof: string };

/** `<!-- denies logs: a reason -->` in a page says that its words mean something else than the product's. */
const EXCEPTION = /<!-- denies ([^:]+): \S[\s\S]*?-->/g;
/** What is written from the code says what the code says. */
const GENERATED = /<!-- Written by /;
/** Where a noun ends and what is said of it begins. */
const AFTER_NOUN = / (?:of|for|in|on|at|by|to|with|from|above|below|per|yet|here)(?: |$)/;

/** What a page denies although a command, a route or a page of the console proves it. */
export function untrueDenials(page: string, features: readonly Feature[]): UntrueDenial[] {
  if (GENERATED.test(page)) return [];
  const excepted = [...page.matchAll(EXCEPTION)].flatMap(([, words = ""]) => words.split(",").map(singular));
  return readDenials(page).flatMap((denial) => {
    const things = [singular(denial.denied), singular(denial.denied.split(AFTER_NOUN)[0] ?? "")];
    const isDenied = (word: string): boolean => things.includes(word) && !excepted.includes(word);
    const feature = features.find(
      ({ words, isMany }) => (denial.isOfProduct || !isMany) && words.some((word) => isDenied(singular(word))),
    );
    return feature === undefined ? [] : [{ ...denial, proof: feature.proof }];
  });
}

const singular = (phrase: string): string =>
  phrase
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/(?<=\w\w[^s])s$/, ""))
    .join(" ");
