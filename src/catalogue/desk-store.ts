import type { Database } from "../db/database.ts";
import { createAlarmDesk } from "./accept-alarms-store.ts";
import { createModelDesk } from "./change-models-store.ts";
import { createChangePrice } from "./price/change-price-store.ts";
import { createProviderDesk } from "./change-providers-store.ts";
import { createImportModels } from "./import-models-store.ts";
import type { CatalogueDesk } from "./model.ts";
import { createRemoveRoute } from "./remove-route-store.ts";
import { createResealCredentials } from "./stored-credential-store.ts";

export const createDeskStore = (database: Database): CatalogueDesk => ({
  ...createProviderDesk(database),
  resealCredentials: createResealCredentials(database),
  ...createModelDesk(database),
  changePrice: createChangePrice(database),
  removeRoute: createRemoveRoute(database),
  ...createAlarmDesk(database),
  importModels: createImportModels(database),
});
