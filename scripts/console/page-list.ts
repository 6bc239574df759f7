/** Which pages the console has, from its own list. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export type ListedPage = { console: "operator" | "holder"; path: string; name: string };

type Place = { path: string };

const LISTS = ["operator-pages.ts", "holder-pages.ts"];

/** Every list of pages in these files; lists whose name begins with HOLDER are the key holder's. */
export async function listPages(folder: string): Promise<ListedPage[]> {
  const pages: ListedPage[] = [];
  for (const file of LISTS) {
    const lists = (await import(pathToFileURL(join(folder, "src/routes", file)).href)) as Record<string, unknown>;
    for (const [list, places] of Object.entries(lists))
      if (Array.isArray(places))
        pages.push(
          ...(places as Place[]).map(({ path }) => pageAt(path, list.startsWith("HOLDER") ? "holder" : "operator")),
        );
  }
  return pages;
}

function pageAt(path: string, console: ListedPage["console"]): ListedPage {
  const words = path.replaceAll("$", "one-").split("/").filter(Boolean).join("-");
  const first = console === "holder" ? "my-key" : "overview";
  return { console, path, name: `${console === "holder" ? "holder-" : ""}${words === "" ? first : words}` };
}
