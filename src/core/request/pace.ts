/** How a route's model thinks and speaks, as completed streams have shown. */
export type Pace = {
  /** Of one answer: where several are asked for at once, each has this. */
  tokensPerSecond: number;
  /** The same for what the house may have lost: nobody is charged by it, so that it is as fast as was seen. */
  lostPerSecond: number;
  /** From the provider's 200 to the first token, where nothing was thought before it. */
  firstTokenMs: number;
  /** Until then the first token may still be one that nothing was thought before. */
  lateFirstTokenMs: number;
  /** Whether the provider has counted tokens that were thought: for a request that lets the model think, that says nothing of it, and that forbids it. */
  thinks: { told: boolean; untold: boolean; forbidden: boolean };
  /** Whether thoughts that are shown are shortened: more was thought than anybody saw. */
  shortensThoughts: boolean;
};
