import { isObject } from "../core/bytes/is-object.ts";
import type { Model } from "./model.ts";

type Capable = Pick<Model, "capabilities">;

/**
 * Whether a model may be asked to think. Capabilities are the operator's own words for callers, and this is the one the gateway
 * itself goes by: only a plain no is one, since a model that is not asked though it could would do worse without a word.
 */
export const canReason = ({ capabilities }: Capable): boolean => capabilities["reasoning"] !== false;

/** Whether the operator says that it thinks, so that its silence is work. Here, only a plain yes is one: silence is charged. */
export const isSaidToReason = ({ capabilities }: Capable): boolean => capabilities["reasoning"] === true;

/** What the operator says of it; null: nothing. */
export const wordOnReasoning = ({ capabilities: { reasoning } }: Capable): boolean | null =>
  typeof reasoning === "boolean" ? reasoning : null;

/** In tokens per second. The slowest hosted models give more, and the fastest less. */
const USUAL_RANGE = { least: 20, most: 2_500 };

/** Between which paces a model thinks, whatever its streams seemed to show: `reasoning_pace: {least, most}` of its capabilities. */
export function reasoningPace({ capabilities }: Capable): { least: number; most: number } {
  const said = capabilities["reasoning_pace"];
  const { least, most } = isObject(said) ? said : {};
  return { least: rate(least) ?? USUAL_RANGE.least, most: rate(most) ?? USUAL_RANGE.most };
}

const rate = (value: unknown): number | null => (typeof value === "number" && value > 0 ? value : null);
