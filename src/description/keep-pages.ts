import type { DescriptionOrder, WriteDescription } from "../core/description.ts";
import { publishHtml, publishJson, type PublishedPage } from "./published.ts";

/**
 * Every page is written once, when it is first asked for, and whoever asks meanwhile waits for the same one. What failed is tried again.
 * Of each page the newest order is kept: a base URL may turn out to be another, since a port is known last.
 */
export function keepPages(write: WriteDescription): (order: DescriptionOrder) => Promise<PublishedPage> {
  const kept = new Map<string, { key: string; page: Promise<PublishedPage> }>();
  return (order) => {
    const place = `${order.listener} ${order.as}`;
    const key = JSON.stringify(order);
    const known = kept.get(place);
    if (known?.key === key) return known.page;
    const page = write(order).then(order.as === "document" ? publishJson : publishHtml);
    kept.set(place, { key, page });
    page.catch(() => void (kept.get(place)?.page === page && kept.delete(place)));
    return page;
  };
}
