import type { DescriptionOrder, ReadDescription } from "../core/description.ts";
import { publish, type PublishedPage } from "./published.ts";

/**
 * Every page is read once, when it is first asked for, and whoever asks meanwhile waits for the same one. What failed is tried again.
 * Of each page the newest order is kept: a base URL may turn out to be another, since a port is known last.
 */
export function keepPages(read: ReadDescription): (order: DescriptionOrder) => Promise<PublishedPage> {
  const kept = new Map<string, { key: string; page: Promise<PublishedPage> }>();
  return (order) => {
    const place = `${order.listener} ${order.as}`;
    const key = JSON.stringify(order);
    const known = kept.get(place);
    if (known?.key === key) return known.page;
    const page = read(order).then(publish);
    kept.set(place, { key, page });
    page.catch(() => void (kept.get(place)?.page === page && kept.delete(place)));
    return page;
  };
}
