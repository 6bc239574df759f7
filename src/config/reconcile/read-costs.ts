import { z } from "zod";
import type { Costs } from "../../core/bills/name-map.ts";
import { costPrice } from "../../wire/catalogue/price.ts";
import { createReadFile } from "../read/described-file.ts";

const name = z.string().min(1).max(200);
const read = createReadFile(z.record(name, z.record(name, costPrice)), "file of costs");

/** What each route costs: provider, upstream model, and a price as the catalogue file has it. */
export const readCosts = (text: string, path: string): Costs =>
  new Map(Object.entries(read(text, path)).map(([provider, models]) => [provider, new Map(Object.entries(models))]));
