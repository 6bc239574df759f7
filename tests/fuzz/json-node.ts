/**
 * JSON as it is written and not as it is meant: repeated names, numbers no double holds and text that is not even JSON have a
 * place here.
 */
export type JsonNode =
  | { kind: "object"; members: [name: string, value: JsonNode][] }
  | { kind: "array"; items: JsonNode[] }
  | { kind: "raw"; text: string };

export const raw = (text: string): JsonNode => ({ kind: "raw", text });

export function nodeOf(value: unknown): JsonNode {
  if (Array.isArray(value)) return { kind: "array", items: value.map(nodeOf) };
  if (typeof value !== "object" || value === null) return raw(JSON.stringify(value) ?? "null");
  return {
    kind: "object",
    members: Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [[name, nodeOf(member)] satisfies [string, JsonNode]],
    ),
  };
}

export function writeNode(node: JsonNode): string {
  if (node.kind === "raw") return node.text;
  if (node.kind === "array") return `[${node.items.map(writeNode).join(",")}]`;
  return `{${node.members.map(([name, value]) => `${JSON.stringify(name)}:${writeNode(value)}`).join(",")}}`;
}

/** Changes the node at a place, counted from the outermost in the order of writing; places past the end begin again. */
export function changeAt(root: JsonNode, place: number, change: (node: JsonNode) => JsonNode): JsonNode {
  let left = place % sizeOf(root);
  const visit = (node: JsonNode): JsonNode => {
    if (left-- === 0) return change(node);
    if (left < 0 || node.kind === "raw") return node;
    if (node.kind === "array") return { ...node, items: node.items.map(visit) };
    return { ...node, members: node.members.map(([name, value]) => [name, visit(value)]) };
  };
  return visit(root);
}

function sizeOf(node: JsonNode): number {
  if (node.kind === "raw") return 1;
  const children = node.kind === "array" ? node.items : node.members.map(([, value]) => value);
  return children.reduce((size, child) => size + sizeOf(child), 1);
}
