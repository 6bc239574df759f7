import { type Plan, planTrials } from "../../certify/plan.ts";
import type { Subject } from "../../certify/trial.ts";
import type { ModelTerms } from "../../core/catalogue/model-terms.ts";
import type { Tariff } from "../../core/money/price.ts";
import type { ProviderDialect } from "../../core/request/dialect.ts";
import type { RouteTerms } from "../../core/catalogue/route-terms.ts";

/** A model of the catalogue and one of its routes to the provider. */
export type Chosen = { model: ModelTerms & { price: Tariff }; route: RouteTerms & { dialect: ProviderDialect } };

export type PlannedCertification = { plan: Plan; termsOf: (subject: Subject) => Chosen };

/** What would be asked of each chosen route, and the most it can cost. */
export function planCertification(
  chosen: readonly Chosen[],
  { hasCredential }: { hasCredential: boolean },
): PlannedCertification {
  const terms = new Map(chosen.map((one) => [subjectOf(one, hasCredential), one]));
  return {
    plan: planTrials([...terms.keys()], Math.random),
    termsOf: (subject) => terms.get(subject) as Chosen,
  };
}

const subjectOf = ({ model, route }: Chosen, hasCredential: boolean): Subject => ({
  modelId: model.id,
  upstreamModel: route.upstreamModel,
  dialect: route.dialect,
  conformant: route.conformant,
  tariff: model.price,
  contextWindow: model.contextWindow,
  maxOutputTokens: model.maxOutputTokens ?? model.outputCeiling ?? 0,
  capabilities: model.capabilities,
  hasCredential,
});
