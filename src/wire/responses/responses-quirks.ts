/** Where providers of responses differ from each other. */
export type ResponsesQuirks = {
  /** The smallest limit of output that it takes; null: any. */
  leastOutputTokens: number | null;
};
