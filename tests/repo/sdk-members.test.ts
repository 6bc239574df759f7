import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { MEMBERS } from "../../src/wire/members/member-tables.ts";
import { isRefused } from "../../src/wire/members/refusal.ts";
import { isUnconditional, type Shape } from "../../src/wire/members/shape.ts";
import type { RequestTypes } from "../sdk/request-types.ts";

const FILE = join(import.meta.dirname, "../sdk/request-types.ts");
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.NodeNext,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

/** Asked of a compiler, for nobody reads five thousand lines of declarations at every new version. */
const program = ts.createProgram([FILE], OPTIONS);
const checker = program.getTypeChecker();

type Met = { at: string; name: string; shape: Shape | null; object: ts.Type };
/** What the types have at a place, and what the table has there; null: it does not look there. False: nothing below is looked at. */
type Look = (met: Met) => boolean;

/** Looks at every member of the requests of every format, however deep. */
function overMembers(lookIn: (dialect: string) => Look): void {
  const declaration = program.getSourceFile(FILE)?.statements.find(ts.isTypeAliasDeclaration);
  if (declaration === undefined) throw new Error("no types of requests");
  for (const { name, type } of membersOf(checker.getTypeAtLocation(declaration))) {
    visit({ type, shape: MEMBERS[name as keyof RequestTypes], path: "", above: [] }, lookIn(name));
  }
}

const membersOf = (type: ts.Type): { name: string; type: ts.Type }[] =>
  type.getProperties().map((symbol) => ({ name: symbol.name, type: checker.getTypeOfSymbol(symbol) }));

type Visit = { type: ts.Type; shape: Shape | null; path: string; above: readonly ts.Type[] };

function visit({ type, shape, path, above }: Visit, look: Look): void {
  for (const object of objectsIn(type)) {
    if (above.includes(object)) continue;
    for (const { name, type: held } of membersOf(object)) {
      const at = path === "" ? name : `${path}.${name}`;
      const goesOn = look({ at, name, shape, object });
      const inside = shape?.members.get(name)?.inside?.() ?? null;
      if (goesOn) visit({ type: held, shape: inside, path: at, above: [...above, object] }, look);
    }
  }
}

/** The objects of a union or a list; not those of any name, and not texts that are dressed as objects. */
function objectsIn(type: ts.Type): ts.Type[] {
  if (type.isUnion()) return type.types.flatMap(objectsIn);
  if (checker.isArrayType(type)) return checker.getTypeArguments(type as ts.TypeReference).flatMap(objectsIn);
  if (type.isIntersection() && type.types.some(({ flags }) => (flags & ts.TypeFlags.StringLike) !== 0)) return [];
  const isObject = (type.flags & ts.TypeFlags.Object) !== 0 || type.isIntersection();
  return isObject && checker.getIndexInfosOfType(type).length === 0 ? [type] : [];
}

function unknownMembers(): Record<string, string[]> {
  const found: Record<string, Set<string>> = {};
  overMembers((dialect) => {
    const missing = (found[dialect] = new Set<string>());
    return ({ at, name, shape }) => {
      const member = shape?.members.get(name);
      if (member === undefined || (!member.known && member.refusal === null)) missing.add(at);
      return (member?.inside ?? null) !== null;
    };
  });
  return Object.fromEntries(Object.entries(found).map(([dialect, missing]) => [dialect, [...missing]]));
}

/** Ids that name something within the request itself, at its client, or the client; nothing is found by them in an account. */
const OWN_IDS = new Set(
  "id call_id tool_call_id tool_use_id tool_id caller_id approval_request_id user_id tab_id download_id".split(" "),
);

/** Every id by which something could be found in a provider's account, and which the table lets through. */
function openIds(): Record<string, string[]> {
  const found: Record<string, Set<string>> = {};
  overMembers((dialect) => {
    const open = (found[dialect] = new Set<string>());
    return ({ at, name, shape, object }) => {
      const refusal = shape?.members.get(name)?.refusal ?? null;
      if (isUnconditional(refusal) || isRefusedKind(shape, object)) return false;
      if (/(^|_)ids?$/.test(name) && !OWN_IDS.has(name)) open.add(at);
      return true;
    };
  });
  return Object.fromEntries(Object.entries(found).map(([dialect, open]) => [dialect, [...open]]));
}

/** An object that the table refuses for its type, whatever else it holds. */
function isRefusedKind(shape: Shape | null, object: ts.Type): boolean {
  const refusal = shape?.members.get("type")?.refusal ?? null;
  const kind = membersOf(object).find(({ name }) => name === "type")?.type;
  return refusal !== null && kind?.isStringLiteral() === true && isRefused(kind.value, refusal);
}

test("every member of the official clients' requests is known, or refused [BOD-27]", () => {
  expect(unknownMembers()).toEqual({ chat: [], responses: [], messages: [] });
});

test("every id that names something in a provider's account is refused, wherever the official clients have it [BOD-15] [BOD-17] [BOD-19]", () => {
  expect(openIds()).toEqual({ chat: [], responses: [], messages: [] });
});
