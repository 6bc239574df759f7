/** Where paused calls wait. Bounded by the connections that are open: a call that ends leaves it. */
export type Gate = {
  hold: (callId: string, resume: () => void) => void;
  leave: (callId: string) => void;
  /** Lets one call go on, or all; returns how many there were. */
  release: (callId?: string) => number;
};

export function createGate(): Gate {
  const held = new Map<string, () => void>();
  const releaseOne = (callId: string): number => {
    const resume = held.get(callId);
    held.delete(callId);
    resume?.();
    return resume ? 1 : 0;
  };
  return {
    hold: (callId, resume) => void held.set(callId, resume),
    leave: (callId) => void held.delete(callId),
    release: (callId) => {
      if (callId !== undefined) return releaseOne(callId);
      return [...held.keys()].reduce((released, each) => released + releaseOne(each), 0);
    },
  };
}
