/** How fast a route's model speaks, as its own streams have shown. */
export type Pace = {
  /** Of one answer: where several are asked for at once, each has this. */
  tokensPerSecond: number;
  /** From the provider's 200 to the first token, where nothing was thought before it. */
  firstTokenMs: number;
};
