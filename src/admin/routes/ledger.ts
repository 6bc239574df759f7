import { BOOKS } from "../../contract/books.ts";
import { COSTS } from "../../contract/costs.ts";
import { CLOSED_PURSES } from "../../contract/closed-purses.ts";
import { USAGE } from "../../contract/usage.ts";
import type { AdminRoute } from "../route.ts";
import { serveOperations } from "../serve-operations.ts";

const usageRoutes = serveOperations({ tag: "usage", operations: USAGE, of: ({ usage }) => usage });
const purseRoutes = serveOperations({
  tag: "ledger",
  operations: CLOSED_PURSES,
  of: ({ closedPurses }) => closedPurses,
});

const costRoutes = serveOperations({ tag: "ledger", operations: COSTS, of: ({ costs }) => costs });

/** Journals, usage, what is outstanding, closed purses, verifications, costs and margins: in this order they are described. */
export const ledgerRoutes: readonly AdminRoute[] = [
  ...serveOperations({ tag: "ledger", operations: BOOKS, of: ({ books }) => books })
    .toSpliced(3, 0, ...purseRoutes)
    .toSpliced(2, 0, ...usageRoutes),
  ...costRoutes,
];
