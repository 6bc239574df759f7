const TRIES = 4;

/** Before anything is measured, a machine that is too busy to answer in time is asked again. */
export async function insist<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}
