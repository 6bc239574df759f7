/** The sidebar of the site, after the contents of docs/README.md. */
import { addressOf, API_FOLDERS } from "./address.ts";
import type { ContentsEntry, ContentsGroup } from "./contents.ts";
import type { SitePage } from "./site-page.ts";

export type SidebarItem = { label: string; link: string } | { label: string; collapsed: boolean; items: SidebarItem[] };

type Pages = ReadonlyMap<string, SitePage>;

export function createSidebar(contents: readonly ContentsGroup[], pages: Pages): SidebarItem[] {
  const groups = contents.map(({ label, entries }) => ({
    label,
    collapsed: FOLDED.has(label),
    items: entries.flatMap((entry) => itemsOf(entry, pages)),
  }));
  return [...linkTo("contents", pages, "All pages by reader"), ...groups];
}

/** Of use to few, or long. */
const FOLDED = new Set(["Decisions", "Project"]);

function itemsOf(entry: ContentsEntry, pages: Pages): SidebarItem[] {
  if (typeof entry !== "string") {
    const items = entry.entries.flatMap((inner) => itemsOf(inner, pages));
    return [{ label: entry.label, collapsed: entry.label === "For contributors", items }];
  }
  const api = API_FOLDERS[entry];
  if (api !== undefined) return [apiGroup(api, pages)];
  return entry.endsWith(".md") ? linkTo(addressOf(entry), pages) : [];
}

function apiGroup(folder: string, pages: Pages): SidebarItem {
  const inside = [...pages.keys()].filter((address) => address.startsWith(`${folder}/`));
  return {
    label: pages.get(folder)?.title ?? folder,
    collapsed: true,
    items: [...linkTo(folder, pages, "Overview"), ...inside.flatMap((address) => linkTo(address, pages))],
  };
}

function linkTo(address: string, pages: Pages, label?: string): SidebarItem[] {
  const page = pages.get(address);
  if (!page) throw new Error(`docs/README.md links to ${address}, which is not a page of the site`);
  return [{ label: label ?? page.title, link: `/${address}/` }];
}
