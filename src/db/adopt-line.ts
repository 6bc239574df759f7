import type { Database } from "./database.ts";
import { adoptLine, readStanding } from "./line-store.ts";
import { hasTheBooks, type Standing } from "./server-line.ts";

/** What is known of the server before it is adopted, and whether it was. */
type Adoption = { standing: Standing; needed: boolean; adopted: boolean };

/** Makes this server the one that has the books, whatever they remember. Without `apply` it is only looked at. */
export async function adopt(database: Database, { apply }: { apply: boolean }): Promise<Adoption> {
  const standing = await readStanding(database.query, true);
  const needed = !hasTheBooks(standing);
  if (needed && apply) await adoptLine(database.query);
  return { standing, needed, adopted: needed && apply };
}
