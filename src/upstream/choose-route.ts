import { plan, type Standing } from "./order-routes.ts";
import type { Target } from "./upstream.ts";

/** Who may be asked for one answer. */
export type Candidates = {
  /** Who is best asked now; null when there is nobody left. */
  next: () => Target | null;
  drop: (target: Target) => void;
  /** Whether there never was another to ask. */
  isSole: () => boolean;
  /** All that have been considered so far. */
  considered: () => readonly Target[];
};

type Groups = {
  targets: readonly Target[];
  /** Groups to turn to, in this order, once nobody of the one before is left. Asked for only then. */
  otherTargets?: () => readonly (readonly Target[])[];
};

type Planning = {
  random: () => number;
  standingOf: (target: Target) => Standing;
  /** Whether it is known how its dialect is called. */
  canCall: (target: Target) => boolean;
};

export function createCandidates({ targets, otherTargets = () => [] }: Groups, planning: Planning): Candidates {
  const callable = (group: readonly Target[]): Target[] => group.filter(planning.canCall);
  let left = callable(targets);
  const considered = [...left];
  let waiting: Target[][] | null = null;
  const groups = (): Target[][] =>
    (waiting ??= otherTargets()
      .map((group) => callable(group))
      .filter(({ length }) => length > 0));

  return {
    next: () => {
      for (;;) {
        const [target] = plan(left, planning);
        if (target !== undefined) return target;
        const group = groups().shift();
        if (group === undefined) return null;
        considered.push(...group);
        left = group;
      }
    },
    drop: (target) => {
      left = left.filter((other) => other !== target);
    },
    isSole: () => considered.length === 1 && groups().length === 0,
    considered: () => considered,
  };
}
