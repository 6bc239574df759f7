import type { ProviderDialect } from "../core/dialect.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import { canTranslate } from "./pick-translator.ts";

/** The routes a request may take. Where any speaks the caller's own format only those do, for nothing is lost on them. */
export function chooseRoutes<Route extends { dialect: ProviderDialect }>(
  { dialect }: Pick<GenerationRequest, "dialect">,
  routes: readonly Route[],
): readonly Route[] {
  const own = routes.filter((route) => route.dialect === dialect);
  return own.length > 0 ? own : routes.filter((route) => canTranslate(dialect, route.dialect));
}
