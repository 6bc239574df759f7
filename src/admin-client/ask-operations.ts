import { isDeepStrictEqual } from "node:util";
import { type AnyOperation, isInQuery, type Operations, parametersOf, placeOf } from "../contract/operation.ts";
import { type Schema, writtenQuestion } from "../wire/validate.ts";
import { type AskFor, queryOf } from "./ask-gateway.ts";

/** The use cases of a resource, through the admin listener of a running gateway: who does it is for that gateway to say. */
export function askOperations<Group>(operations: Operations<Group>, ask: AskFor, askPatiently = ask): Group {
  const methods = Object.entries(operations as Record<string, AnyOperation>).map(([name, operation]) => {
    const { method, payload, answer, isLong } = operation;
    const askFor = isLong ? askPatiently : ask;
    const work = async (...given: readonly unknown[]): Promise<unknown> => {
      const { path, args } = placeOf(operation, given);
      const names = parametersOf(path);
      const at = names.reduce(
        (to, one, place) => to.replace(`{${one}}`, encodeURIComponent(String(args[place]))),
        path,
      );
      const asked = payload === undefined ? undefined : sparing(payload, writtenQuestion(payload, args[names.length]));
      if (!isInQuery(operation)) return askFor(answer, method, at, asked);
      const query = queryOf((asked ?? {}) as Record<string, string | number | null>);
      return askFor(answer, method, query === "" ? at : `${at}?${query}`);
    };
    return [name, work];
  });
  return Object.fromEntries(methods) as Group;
}

/** A gateway of the version before refuses members that it does not know, so none is sent that says what its absence says. */
function sparing(payload: Schema, asked: unknown): unknown {
  if (typeof asked !== "object" || asked === null) return asked;
  const whole = payload.safeParse(asked).data;
  return Object.entries(asked).reduce<object>((said, [name, value]) => {
    if (value !== null) return said;
    const without = Object.fromEntries(Object.entries(said).filter(([other]) => other !== name));
    return isDeepStrictEqual(payload.safeParse(without).data, whole) ? without : said;
  }, asked);
}
