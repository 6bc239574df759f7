import type { Model } from "./model.ts";

/**
 * Whether a model may be asked to think. Capabilities are the operator's own words for callers, and this is the one the gateway
 * itself goes by: only a plain no is one, since a model that is not asked though it could would do worse without a word.
 */
export const canReason = ({ capabilities }: Pick<Model, "capabilities">): boolean =>
  capabilities["reasoning"] !== false;
