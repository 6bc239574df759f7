import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import type { Database } from "../db/database.ts";
import { underCatalogueLock } from "./lock-store.ts";
import type { CatalogueDesk } from "./model.ts";
import { requireModel } from "./require-model-store.ts";

type RouteRow = { id: string; name: string; published: boolean };

const ROUTES = `
  select route.id, route.provider || '/' || upstream_model || ' (' || dialect || ')' as name, published
  from route join model on model.id = model_id where model_id = $1 order by priority, route.id`;

export const createRemoveRoute =
  (database: Database): CatalogueDesk["removeRoute"] =>
  (modelId, wanted, last) =>
    underCatalogueLock(database, async (tx) => {
      await requireModel(tx, modelId);
      const routes = await tx.query<RouteRow>(ROUTES, [modelId]);
      const found = pick(routes, wanted);
      if (routes.length === 1 && found.published && last === "keep") {
        throw new Conflict(
          `${found.name} is the only route of ${modelId}, which is published. Unpublish the model first, or use --force, or ?last=remove in the API.`,
        );
      }
      await tx.query("delete from route where id = $1", [found.id]);
      return { id: found.id, name: found.name, routesLeft: routes.length - 1 };
    });

function pick(routes: readonly RouteRow[], wanted: string): RouteRow {
  const exact = routes.filter(({ id, name }) => id === wanted || name === wanted || name.startsWith(`${wanted} (`));
  const found =
    exact.length > 0 ? exact : routes.filter(({ id, name }) => isBeginningOf(id, wanted) || name.startsWith(wanted));
  const [first] = found;
  if (first !== undefined && found.length === 1 && wanted !== "") return first;
  const listed = (found.length > 1 ? found : routes).map(({ id, name }) => `${id} ${name}`).join("; ");
  if (found.length > 1) throw new Conflict(`${wanted} matches several routes: ${listed}. Use the id of one of them.`);
  const others = listed === "" ? "The model has none." : `Its routes: ${listed}.`;
  throw new Fault("not_found", `The model has no route ${JSON.stringify(wanted)}. ${others}`);
}

const SHORTEST_ID = 6;

/** A word or two of a name may by chance begin an id. */
const isBeginningOf = (id: string, wanted: string): boolean => wanted.length >= SHORTEST_ID && id.startsWith(wanted);
