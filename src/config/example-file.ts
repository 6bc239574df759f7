import { describeGroup, type Field, listFields } from "./fields.ts";

/** A `tollgate.yaml` with every setting at its default, so that leaving it untouched changes nothing. */
export function createExampleFile(schemaPath: string): string {
  const lines = [
    `# yaml-language-server: $schema=${schemaPath}`,
    "#",
    "# Every setting with its default. Keep the settings you change and delete the rest. Each comment ends with the name of",
    "# an environment variable, which overrides this file. Keep secrets out of this file: set the variable instead. To read a",
    "# secret from a file, append _FILE to the variable's name and set it to the path of the file.",
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
