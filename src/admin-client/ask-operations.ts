import { type AnyOperation, isInQuery, type Operations, parametersOf, placeOf } from "../contract/operation.ts";
import { writtenQuestion } from "../wire/validate.ts";
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
      const asked = payload === undefined ? undefined : writtenQuestion(payload, args[names.length]);
      if (!isInQuery(operation)) return askFor(answer, method, at, asked);
      const query = queryOf((asked ?? {}) as Record<string, string | number | null>);
      return askFor(answer, method, query === "" ? at : `${at}?${query}`);
    };
    return [name, work];
  });
  return Object.fromEntries(methods) as Group;
}
