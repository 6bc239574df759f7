/**
 * What this run draws from; `TEST_SEED` repeats an earlier one. The gate sets it by the commit, so that a commit draws alike wherever it is
 * tried, and the next one draws anew.
 */
export const runSeed = (): number => Number(process.env["TEST_SEED"] ?? Date.now()) % 2 ** 31 || 1;
