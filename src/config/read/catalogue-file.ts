import type { z } from "zod";
import { descriptionIn } from "../../wire/catalogue/description.ts";
import { WRITTEN } from "../../wire/catalogue/price.ts";
import { createReadFile } from "./described-file.ts";

const catalogueFile = descriptionIn(WRITTEN);

export type CatalogueFile = z.output<typeof catalogueFile>;

const read = createReadFile(catalogueFile, "catalogue file");

/** Reads providers, models, prices and routes as an operator describes them in YAML or JSON. Lists everything wrong. */
export const readCatalogueFile = (text: string, path: string): CatalogueFile => read(text, path);
