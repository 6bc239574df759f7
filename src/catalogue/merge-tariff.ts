import type { DescribedPrice, BookedPrice } from "./model.ts";

/** The prices of a book that are still to come, as a description names them. */
export const upcomingIn = (book: readonly BookedPrice[], nowMs: number): DescribedPrice[] =>
  book.filter(({ withdrawnAtMs, effectiveFromMs }) => withdrawnAtMs === null && effectiveFromMs > nowMs);
