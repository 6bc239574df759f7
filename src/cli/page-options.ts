import type { Command } from "commander";
import { everyPage, type Page, type PageRequest } from "../core/page.ts";
import { countUpTo } from "./arguments.ts";

export type PageOptions = { limit: number; after?: string; all?: true };

/** How much of a list is shown, the same for every list. */
export const addPageOptions = (command: Command, usual: number): Command =>
  command
    .option("--limit <number>", "most entries to list, up to 1000", countUpTo(1_000), usual)
    .option("--after <cursor>", "continue after an earlier page")
    .option("--all", "list all entries");

export const readPages = <Of extends Page<unknown>>(
  { limit, after, all }: PageOptions,
  list: (page: PageRequest) => Promise<Of>,
): Promise<Of> => (all ? everyPage(list) : list({ limit, after: after ?? null }));

/** What the reader cannot see in the rows: that there are more. */
export const moreText = (next: string | null): string =>
  next === null ? "" : `\n\nThere are more. Continue with --after ${next}`;
