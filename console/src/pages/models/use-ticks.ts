import { useState } from "react";
import { changing, type Compared } from "./compared.ts";

/** Which of the changes of a list are to be applied: all of them, until one is unticked. */
export type Ticks = {
  ids: readonly string[];
  isTicked: (id: string) => boolean;
  toggle: (id: string) => void;
  tickAll: (ticked: boolean) => void;
};

/** The boxes of one comparison; the next one begins with all ticked. */
export function useTicks(compared: Compared | undefined): Ticks {
  const [state, setState] = useState<{ of: Compared | undefined; without: ReadonlySet<string> }>({
    of: compared,
    without: new Set(),
  });
  const without = state.of === compared ? state.without : new Set<string>();
  const all = compared ? changing(compared).map(({ id }) => id) : [];
  return {
    ids: all.filter((id) => !without.has(id)),
    isTicked: (id) => !without.has(id),
    toggle: (id) => setState({ of: compared, without: without.symmetricDifference(new Set([id])) }),
    tickAll: (ticked) => setState({ of: compared, without: new Set(ticked ? [] : all) }),
  };
}
