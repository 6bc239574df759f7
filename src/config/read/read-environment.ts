import type { Problem } from "../config-error.ts";
import { type Field, listFields } from "../fields.ts";
import { type ReadFile, readSecretFile, reasonOf } from "./read-text-file.ts";
import type { Findings } from "../source.ts";
import { didYouMean, suggest } from "../../core/text/suggest.ts";
import { type Environment, knownVariables, unknownVariables } from "./variable-names.ts";

/** Reads settings from environment variables. An empty variable counts as not set, as container tools leave them so. */
export function readEnvironment(environment: Environment, readFile: ReadFile): Findings {
  const findings: Findings = { entries: new Map(), problems: unknownVariables(environment).map(unknownVariable) };
  for (const field of listFields()) {
    const direct = environment[field.environment];
    const filePath = field.secret ? environment[`${field.environment}_FILE`] : undefined;
    if (filePath) readFromFile({ field, direct, filePath, readFile, findings });
    else if (direct) {
      const source = { kind: "environment", name: field.environment } as const;
      findings.entries.set(field.path, { value: fromText(field, direct), source });
    }
  }
  return findings;
}

type FileReading = {
  field: Field;
  direct: string | undefined;
  filePath: string;
  readFile: ReadFile;
  findings: Findings;
};

function readFromFile({ field, direct, filePath, readFile, findings }: FileReading): void {
  const name = `${field.environment}_FILE`;
  const problem = (message: string) => findings.problems.push({ path: field.path, source: name, message });
  if (direct) {
    problem(`${field.environment} and ${name} are both set; keep one.`);
    return;
  }
  try {
    const value = readSecretFile(filePath, readFile);
    if (value === "") problem("the file it names is empty.");
    else findings.entries.set(field.path, { value, source: { kind: "environment", name } });
  } catch (error) {
    problem(`the file it names cannot be read (${reasonOf(error)}).`);
  }
}

/** Numbers are written as plain digits; anything else stays text and is refused by the schema. */
const fromText = (field: Field, value: string): unknown =>
  field.kind === "integer" && /^\d{1,15}$/.test(value) ? Number(value) : value;

const unknownVariable = (name: string): Problem => ({
  path: null,
  source: name,
  message: `no such setting${didYouMean(suggest(name, knownVariables())) || "."}`,
});
