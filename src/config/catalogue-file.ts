import { type Document, parseDocument } from "yaml";
import type { z } from "zod";
import { descriptionIn } from "../wire/catalogue/description.ts";
import { WRITTEN } from "../wire/catalogue/price.ts";
import { ConfigError } from "./config-error.ts";

const MAX_ALIASES = 100;

const catalogueFile = descriptionIn(WRITTEN);

export type CatalogueFile = z.output<typeof catalogueFile>;

/** Reads providers, models, prices and routes as an operator describes them in YAML or JSON. Lists everything wrong. */
export function readCatalogueFile(text: string, path: string): CatalogueFile {
  const document = parseDocument(text, { uniqueKeys: true });
  const [broken] = document.errors;
  if (broken)
    throw new ConfigError([{ path: null, source: path, message: broken.message.split("\n", 1)[0] ?? "is not YAML" }]);
  const parsed = catalogueFile.safeParse(valueOf(document, path));
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => ({ path: issue.path.join("."), source: path, message: issue.message })),
  );
}

/** Aliases within aliases could describe more than there is memory for. */
function valueOf(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    throw new ConfigError([{ path: null, source: path, message: `uses more than ${MAX_ALIASES} aliases` }]);
  }
}
