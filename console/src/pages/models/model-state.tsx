import type { ReactNode } from "react";
import type { Model } from "../../api/generated/admin.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";

export type ModelState = "published" | "obstructed" | "unpublished";

export const STATE_NAMES: Record<ModelState, string> = {
  published: "published",
  obstructed: "cannot be used",
  unpublished: "unpublished",
};

const TONES: Record<ModelState, Tone> = { published: "good", obstructed: "warn", unpublished: "neutral" };

/** Whether clients can use it: as they wish, not although it is published, or not. */
export function stateOf({ published, obstacles }: Pick<Model, "published" | "obstacles">): ModelState {
  if (!published) return "unpublished";
  return obstacles.length === 0 ? "published" : "obstructed";
}

export const ModelBadge = ({ of: model }: { of: Pick<Model, "published" | "obstacles"> }): ReactNode => {
  const state = stateOf(model);
  return (
    <span title={model.obstacles.join("; ") || undefined}>
      <Badge tone={TONES[state]}>{STATE_NAMES[state]}</Badge>
    </span>
  );
};
