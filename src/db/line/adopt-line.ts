import type { Database } from "../database.ts";
import { adoptLine, readStanding } from "./line-store.ts";
import { LineRefusedError } from "../database-error.ts";
import { createServerLine, hasTheBooks, type Standing } from "./server-line.ts";

/** What is known of the server before it is adopted, and whether it was. */
type Adoption = { standing: Standing; needed: boolean; adopted: boolean };

/** Makes this server the one that has the books, whatever they remember. Without `apply` it is only looked at. */
export async function adopt(database: Database, { apply }: { apply: boolean }): Promise<Adoption> {
  const standing = await readStanding(database.query, true);
  const needed = !hasTheBooks(standing);
  if (needed && apply) await adoptLine(database.query);
  return { standing, needed, adopted: needed && apply };
}

/** Why the books are not on this server, and the remedy; null when they are. Changes nothing. */
export async function whyNotAdopted(database: Database): Promise<string | null> {
  const { standing } = await adopt(database, { apply: false });
  try {
    createServerLine({ strangers: "refused", onMoved: () => undefined }).require("", standing);
    return null;
  } catch (error) {
    if (error instanceof LineRefusedError) return error.shown;
    throw error;
  }
}
