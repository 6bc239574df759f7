import type { Command } from "commander";
import { everyPage, type Page, type SearchRequest } from "../core/page.ts";
import { countUpTo, searchText } from "./arguments.ts";
import { printable } from "./text/cell.ts";

export type PageOptions = { limit: number; after?: string; all?: true };

/** How much of a list is shown, the same for every list. */
export const addPageOptions = (command: Command, usual: number): Command =>
  command
    .option("--limit <number>", "most entries to list, up to 1000", countUpTo(1_000), usual)
    .option("--after <cursor>", "continue after an earlier page")
    .option("--all", "list all entries");

export type SearchOptions = PageOptions & { search?: string };

/** The same for a list that is searched. `matches`: where the text has to stand. */
export const addSearchOptions = (command: Command, matches: string): Command =>
  addPageOptions(command, 100).option("--search <text>", `${matches}, in capitals or not`, searchText);

export function readPages<Of extends Page<unknown>>(
  { limit, after, all, search }: SearchOptions,
  list: (page: SearchRequest) => Promise<Of>,
): Promise<Of> {
  const searched = search === undefined ? {} : { search };
  return all ? everyPage((page) => list({ ...page, ...searched })) : list({ limit, after: after ?? null, ...searched });
}

/** What the reader cannot see in the rows: that there are more. */
export const moreText = (next: string | null): string =>
  next === null ? "" : `\n\nThere are more. Continue with --after ${next}`;

/** `things`: such as keys. */
export const nothingFound = (things: string, search: string): string => `No ${things} found for ${printable(search)}.`;
