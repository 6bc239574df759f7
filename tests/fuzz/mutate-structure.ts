import fc, { type Arbitrary } from "fast-check";
import { changeAt, type JsonNode, nodeOf, raw } from "./json-node.ts";
import { MARKER_PLACE } from "./marker.ts";

export type Mutation = (root: JsonNode) => JsonNode;

/** What a field never expects. */
const HOSTILE = [
  "null",
  "true",
  "0",
  "-0",
  "-1",
  "0.5",
  "1e400",
  "-1e400",
  "1e-400",
  "9007199254740993",
  "123456789012345678901234567890",
  "2147483648",
  '""',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\u2028"',
  '"NaN"',
  '"constructor"',
  '"__proto__"',
  "[]",
  "{}",
  "[null]",
  '[{"type":null}]',
  '{"__proto__":{"stream":true,"max_tokens":1}}',
  // Not JSON at all.
  "NaN",
  "undefined",
  "01",
  "'x'",
  "0x10",
  "[1,]",
  '"\n"',
  "",
];

const HOSTILE_NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "length",
  "",
  "model",
  "Model",
  "messages",
  "input",
  "max_tokens",
  "stream",
  "n",
  "tools",
  "store",
  "user",
  "metadata",
  "service_tier",
  "\u0000",
  "x".repeat(5_000),
  MARKER_PLACE,
];

const DEPTHS = [1, 60, 62, 63, 64, 65, 10_000];

const place = fc.nat({ max: 200 });
const hostile = fc.constantFrom(...HOSTILE).map(raw);

/** One change of a body's structure. */
export const structuralMutation: Arbitrary<Mutation> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(place, hostile).map(([at, value]) => changing(at, () => value)) },
  { weight: 3, arbitrary: fc.tuple(place, fc.nat({ max: 20 })).map(([at, which]) => changing(at, without(which))) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(place, fc.constantFrom(...HOSTILE_NAMES), hostile)
      .map(([at, name, value]) => changing(at, withMember(name, value))),
  },
  { weight: 2, arbitrary: fc.tuple(place, fc.nat({ max: 20 })).map(([at, which]) => changing(at, repeating(which))) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(place, fc.constantFrom(...DEPTHS), fc.constantFrom("[", "{"))
      .map(([at, depth, bracket]) => changing(at, () => nest(depth, bracket))),
  },
  { weight: 1, arbitrary: fc.tuple(place, large()).map(([at, value]) => changing(at, () => value)) },
);

const changing =
  (at: number, change: (node: JsonNode) => JsonNode): Mutation =>
  (root) =>
    changeAt(root, at, change);

const without =
  (which: number) =>
  (node: JsonNode): JsonNode => {
    if (node.kind === "raw") return raw("null");
    if (node.kind === "array") return { ...node, items: node.items.filter((_, index) => index !== which) };
    const gone = which % Math.max(1, node.members.length);
    return { ...node, members: node.members.filter((_, index) => index !== gone) };
  };

const withMember =
  (name: string, value: JsonNode) =>
  (node: JsonNode): JsonNode =>
    node.kind === "object" ? { ...node, members: [[name, value], ...node.members] } : nodeOf({ [name]: 0 });

const repeating =
  (which: number) =>
  (node: JsonNode): JsonNode => {
    if (node.kind === "raw") return { kind: "array", items: [node, node] };
    if (node.kind === "array") return { ...node, items: [...node.items, ...node.items] };
    const again = node.members[which % Math.max(1, node.members.length)];
    return { ...node, members: again ? [...node.members, again] : [] };
  };

function nest(depth: number, bracket: string): JsonNode {
  return raw(
    bracket === "["
      ? `${"[".repeat(depth)}${"]".repeat(depth)}`
      : `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`,
  );
}

/** Rare, because each of these is as much work as a thousand others. They are made when they are written. */
function large(): Arbitrary<JsonNode> {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(1_000, 10_000).map((bytes) => raw(JSON.stringify("é".repeat(bytes)))) },
    { weight: 2, arbitrary: fc.constant("x").map((letter) => raw(JSON.stringify(letter.repeat(1_048_576)))) },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom("0", "{}", '"x"', '{"role":"user","content":"x"}', '{"type":"text","text":""}')
        .map((item) => raw(`[${Array(100_000).fill(item).join(",")}]`)),
    },
  );
}
