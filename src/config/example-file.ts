import { describeGroup, type Field, listFields } from "./fields.ts";

/** A `tollgate.yaml` with every setting at its default, so that leaving it untouched changes nothing. */
export function createExampleFile(schemaPath: string): string {
  const lines = [
    `# yaml-language-server: $schema=${schemaPath}`,
    "#",
    "# Every setting with its default. Keep what you change and delete the rest. An environment variable (named at the end",
    "# of each comment) wins over this file. Secrets are better kept out of it: set the variable, or the same name with",
    "# _FILE at its end and the path of a file that holds the secret.",
  ];
  let group: string | null = null;
  for (const field of listFields()) {
    if (field.group !== group || field.group === null) lines.push("");
    if (field.group !== null && field.group !== group) lines.push(`# ${describeGroup(field.group)}`, `${field.group}:`);
    group = field.group;
    const indent = group === null ? "" : "  ";
    lines.push(`${indent}# ${field.description} (${field.environment})`, `${indent}${assignment(field)}`);
  }
  return `${lines.join("\n")}\n`;
}

const assignment = ({ key, fallback, kind }: Field): string => {
  if (fallback === null) return `# ${key}:`;
  return `${key}: ${kind === "text" ? JSON.stringify(fallback) : fallback}`;
};
