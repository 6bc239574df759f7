import { Conflict } from "../../core/conflict.ts";
import { mergeTariff } from "../../core/money/price.ts";
import { tariffFault } from "../../core/money/rate-rows.ts";
import type { Database } from "../../db/database.ts";
import { databaseNowMs, planBooks, readBooks, writeBooks } from "./price-book-store.ts";
import { underCatalogueLock } from "../lock-store.ts";
import type { CatalogueDesk, DescribedPrice } from "../model.ts";
import { livingIn, priceAt, upcomingIn } from "./price-book.ts";
import { isForEmbeddings, requireModel } from "../require-model-store.ts";

/** A description says the whole schedule, so the part of it that is not to change is described as it is. */
export const createChangePrice =
  (database: Database): CatalogueDesk["changePrice"] =>
  (modelId, { parts, fromMs }) =>
    underCatalogueLock(database, async (tx) => {
      await requireModel(tx, modelId);
      const books = await readBooks(tx, [modelId]);
      const nowMs = await databaseNowMs(tx);
      if (fromMs !== null && fromMs <= nowMs) {
        throw new Conflict(
          `${new Date(fromMs).toISOString()} is in the past. Use a future date, or none to start now.`,
        );
      }
      const book = books.get(modelId) ?? [];
      const living = livingIn(book);
      const free = (await isForEmbeddings(tx, modelId)) ? { outputNano: 0n } : {};
      const tariff = mergeTariff(priceAt(living, fromMs ?? nowMs), parts) ?? mergeTariff(null, { ...free, ...parts });
      if (tariff === null) {
        throw new Conflict(`Model ${modelId} has no price yet. Set both the input and the output price.`);
      }
      const fault = tariffFault(tariff);
      if (fault !== null) throw new Conflict(`That is no whole price: ${fault}.`);
      const inForce = fromMs === null ? null : priceAt(living, nowMs);
      const described: DescribedPrice[] = [
        ...(inForce === null ? [] : [{ ...inForce, effectiveFromMs: null }]),
        ...upcomingIn(book, nowMs).filter(({ effectiveFromMs }) => effectiveFromMs !== fromMs),
        { ...tariff, effectiveFromMs: fromMs },
      ];
      return writeBooks(tx, { plans: planBooks([{ id: modelId, described }], { books, nowMs }), nowMs });
    });
