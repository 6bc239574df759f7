import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { MEMBERS } from "../../src/wire/members/member-tables.ts";
import type { Shape } from "../../src/wire/members/shape.ts";
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
function unknownMembers(): Record<string, string[]> {
  const program = ts.createProgram([FILE], OPTIONS);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(FILE);
  const declaration = source?.statements.find(ts.isTypeAliasDeclaration);
  if (declaration === undefined) throw new Error("no types of requests");
  const found: Record<string, string[]> = {};
  for (const dialect of checker.getTypeAtLocation(declaration).getProperties()) {
    const missing = new Set<string>();
    visit({
      type: checker.getTypeOfSymbol(dialect),
      shape: MEMBERS[dialect.name as keyof RequestTypes],
      path: "",
      above: [],
      missing,
    });
    found[dialect.name] = [...missing];
  }
  return found;

  type Visit = { type: ts.Type; shape: Shape; path: string; above: readonly ts.Type[]; missing: Set<string> };

  function visit({ type, shape, path, above, missing }: Visit): void {
    for (const object of objectsIn(type)) {
      if (above.includes(object)) continue;
      for (const property of object.getProperties()) {
        const member = shape.members.get(property.name);
        const at = path === "" ? property.name : `${path}.${property.name}`;
        if (member === undefined || (!member.known && member.refusal === null)) missing.add(at);
        const inside = member?.inside?.();
        if (inside === undefined) continue;
        visit({
          type: checker.getTypeOfSymbol(property),
          shape: inside,
          path: at,
          above: [...above, object],
          missing,
        });
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
}

test("every member of the official clients' requests is known, or refused [BOD-27]", () => {
  expect(unknownMembers()).toEqual({ chat: [], responses: [], messages: [] });
});
