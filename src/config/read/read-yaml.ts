import { isAlias, isMap, isScalar, type Node, type YAMLMap } from "yaml";
import { type Field, listFields } from "../fields.ts";
import type { Findings } from "../source.ts";
import { didYouMean, suggest } from "../../core/text/suggest.ts";
import { MOST_PROBLEMS, parseYaml } from "./yaml-text.ts";

/**
 * Reads settings from the text of a YAML file. Nodes are walked one by one and never expanded, so an alias cannot multiply;
 * messages give line numbers and never quote a line, which could hold a secret.
 */
export function readYaml(text: string, filePath: string): Findings {
  // The library looks for duplicate keys in quadratic time; the walk below does it in linear time.
  const { document, mistakes, placeOf } = parseYaml(text, { uniqueKeys: false });
  const findings: Findings = { entries: new Map(), problems: [] };
  const problem: Report = ({ path = null, offset, message }) =>
    void findings.problems.push({ path, source: `${filePath}:${placeOf(offset)}`, message });

  for (const mistake of mistakes) problem(mistake);
  if (findings.problems.length > 0) return findings;

  const hopeless = () => findings.problems.length >= MOST_PROBLEMS;
  const found = (field: Field, node: Node | null, offset: number) => {
    const source = { kind: "file", path: filePath, place: placeOf(offset) } as const;
    findings.entries.set(field.path, { value: valueOf(field, node), source });
  };
  const root = document.contents;
  if (isMap(root)) walk({ map: root, group: null, problem, found, hopeless });
  else if (root !== null && !(isScalar(root) && root.value === null)) {
    problem({ offset: root.range?.[0] ?? 0, message: "expected settings as `name: value`." });
  }
  return findings;
}

type Report = (problem: { path?: string; offset: number; message: string }) => void;

type Walk = {
  map: YAMLMap<Node, Node | null>;
  group: string | null;
  problem: Report;
  found: (field: Field, node: Node | null, offset: number) => void;
  hopeless: () => boolean;
};

function walk({ map, group, problem, found, hopeless }: Walk): void {
  const fields = listFields();
  const groups = new Set(fields.map((field) => field.group));
  const seen = new Set<string>();
  for (const { key: keyNode, value: node } of map.items) {
    if (hopeless()) return;
    const key = isScalar(keyNode) ? String(keyNode.value) : "";
    const path = group === null ? key : `${group}.${key}`;
    const offset = keyNode.range?.[0] ?? 0;
    const field = fields.find((candidate) => candidate.path === path);

    if (seen.has(key)) problem({ path: printable(path), offset, message: "is given twice." });
    else if (isAlias(node)) problem({ path: printable(path), offset, message: "is an alias; write the value itself." });
    else if (field) found(field, node, offset);
    else if (group !== null || !groups.has(key)) problem({ offset, message: unknownKey(key, group, fields) });
    else if (isMap(node)) walk({ map: node as YAMLMap<Node, Node | null>, group: key, problem, found, hopeless });
    else if (node !== null && !(isScalar(node) && node.value === null)) {
      problem({ path, offset, message: "expected a group of settings, indented below it." });
    }
    seen.add(key);
  }
}

/** A number given for a text setting is taken as it was written, since reading `0.10` as a number would change it. */
function valueOf(field: Field, node: Node | null): unknown {
  if (node === null) return null;
  if (!isScalar(node)) return isMap(node) ? {} : [];
  return field.kind === "text" && typeof node.value === "number" ? node.source : node.value;
}

function unknownKey(key: string, group: string | null, fields: readonly Field[]): string {
  const siblings = fields.flatMap((field) => {
    if (field.group === group) return [field.key];
    return group === null && field.group !== null ? [field.group] : [];
  });
  const near = suggest(key, siblings);
  const elsewhere = fields.find((field) => field.key === key)?.path ?? null;
  const meant = near !== null && group !== null ? `${group}.${near}` : (near ?? elsewhere);
  return `no such setting: ${printable(group === null ? key : `${group}.${key}`)}${didYouMean(meant) || "."}`;
}

/** `{token:abc}` is one key to YAML, and its text a secret; only what looks like a name is repeated. */
const printable = (path: string): string => (/^[\w.-]{1,60}$/.test(path) ? path : "(a name that is not shown)");
