import type { Database, Queryable } from "../db/database.ts";
import { applyModels, applyRoutes } from "./apply-catalogue-store.ts";
import { databaseNowMs, planBooks, readBooks, writeBooks } from "./price/price-book-store.ts";
import { compareListed, type Comparison } from "./compare-listed.ts";
import { underCatalogueLock } from "./lock-store.ts";
import type { BookedPrice, CatalogueDesk, ImportOrder } from "./model.ts";
import { isEmbedding } from "../core/request/dialect.ts";
import { presetAt } from "../core/catalogue/provider-presets.ts";
import { newModel } from "./new-model.ts";
import { livingIn, priceAt, upcomingIn } from "./price/price-book.ts";
import { readModels } from "./read-models-store.ts";
import { requireOneKind, requireProvider } from "./require-model-store.ts";

const SET_FACTS = `
  update model set context_window = d."contextWindow", max_output_tokens = d."maxOutputTokens",
    capabilities = model.capabilities || d.words
  from jsonb_to_recordset($1) as d (id text, "contextWindow" int, "maxOutputTokens" int, words jsonb)
  where model.id = d.id
    and (model.context_window, model.max_output_tokens, model.capabilities)
      is distinct from (d."contextWindow", d."maxOutputTokens", model.capabilities || d.words)`;

/** A preview goes the whole way but for the writing, so that it shows what would be written. */
export const createImportModels =
  (database: Database): CatalogueDesk["importModels"] =>
  (order, mode) =>
    underCatalogueLock(database, async (tx) => {
      const { baseUrl } = await requireProvider(tx, order.provider);
      const spoken = presetAt(baseUrl)?.dialect ?? "chat";
      const nowMs = await databaseNowMs(tx);
      const present = new Map(
        (await readModels(tx, { atMs: nowMs, which: "all" })).map(({ model }) => [model.id, model]),
      );
      const books = await readBooks(tx, [...present.keys()]);
      const compared = order.models.map((each) => {
        // A list says chat of what has a format of its own at this address.
        const listed = spoken === "chat" || isEmbedding(each.dialect) ? each : { ...each, dialect: spoken };
        const model = present.get(listed.id) ?? null;
        // The book and not the model has the price that holds: a suspended one is not for sale, and holds.
        const price = priceAt(livingIn(books.get(listed.id) ?? []), nowMs);
        return compareListed(listed, { provider: order.provider, model, price });
      });
      if (mode === "apply") await write(tx, { order, compared, books, nowMs });
      return compared.map(({ id, change, before, after }) => ({ id, change, before, after }));
    });

type Work = {
  order: ImportOrder;
  compared: readonly Comparison[];
  books: ReadonlyMap<string, readonly BookedPrice[]>;
  nowMs: number;
};

async function write(tx: Queryable, { order, compared, books, nowMs }: Work): Promise<void> {
  const added = compared.filter(({ change }) => change === "new");
  const changed = compared.filter(({ change }) => change === "changed");
  const models = added.map(({ listed }) =>
    newModel({
      ...listed,
      reasoning: listed.reasoning ?? undefined,
      displayName: null,
      route: { ...listed, provider: order.provider },
    }),
  );
  await applyModels(tx, { providers: [], models });
  if (order.publication === "unpublished" && added.length > 0) {
    await tx.query("update model set published = false where id = any ($1)", [added.map(({ id }) => id)]);
  }
  await applyRoutes(tx, { providers: [], models });
  await requireOneKind(
    tx,
    added.map(({ id }) => id),
  );
  if (changed.length > 0) {
    const facts = changed.map(({ id, after: { contextWindow, maxOutputTokens, reasoning } }) => {
      const words = reasoning === null ? {} : { reasoning };
      return { id, contextWindow, maxOutputTokens, words };
    });
    await tx.query(SET_FACTS, [JSON.stringify(facts)]);
  }
  const priced = [...added, ...changed].map(({ id, after }) => ({
    id,
    described: [{ ...after.tariff, effectiveFromMs: null }, ...upcomingIn(books.get(id) ?? [], nowMs)],
  }));
  await writeBooks(tx, { plans: planBooks(priced, { books, nowMs }), nowMs });
}
