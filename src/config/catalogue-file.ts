import { type Document, parseDocument } from "yaml";
import { z } from "zod";
import { descriptionIn } from "../wire/catalogue/description.ts";
import { credits } from "../wire/catalogue/price.ts";
import { moment } from "../wire/moment.ts";
import { ConfigError } from "./config-error.ts";

const MAX_ALIASES = 100;

/** A price as people write it: credits, exactly. One finer than a nano-credit keeps its exponent and is refused. */
const writtenCredits = z
  .union([z.string(), z.number()])
  .transform((value) => (typeof value === "number" ? decimalOf(value) : value))
  .pipe(credits);

const decimalOf = (value: number): string => (Number(value.toFixed(9)) === value ? value.toFixed(9) : String(value));

/** A date alone is its midnight in UTC. */
const writtenMoment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date().transform((date) => `${date}T00:00:00Z`)], {
    error: "Input should be a date, or a date and time with its offset, such as 2027-01-31T12:00:00Z",
  })
  .pipe(moment);

const catalogueFile = descriptionIn({ credits: writtenCredits, moment: writtenMoment });

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
