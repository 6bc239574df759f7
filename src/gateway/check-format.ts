import type { Model } from "../catalogue/model.ts";
import type { ClientDialect } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import { canTranslate } from "../translate/pick-translator.ts";

const PATHS: Record<ClientDialect, string> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

/** A model whose providers all speak other formats is not asked for in vain, and no money is set aside for it. */
export function checkFormat(dialect: ClientDialect, { id, routes }: Pick<Model, "id" | "routes">): void {
  const servesTo = (client: ClientDialect): boolean => routes.some((route) => canTranslate(client, route.dialect));
  if (servesTo(dialect) || routes.length === 0) return;
  const others = (Object.keys(PATHS) as ClientDialect[]).filter(servesTo).map((client) => PATHS[client]);
  const instead = others.length === 0 ? "" : ` Ask for it at ${others.join(" or ")}.`;
  throw new Fault("invalid_request", `${id} cannot be had at ${PATHS[dialect]}.${instead}`, { param: "model" });
}
