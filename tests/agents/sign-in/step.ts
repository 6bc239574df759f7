/** One thing that was to be seen, and what the agent showed. */
export type Step = { name: string; problems: string[]; seconds: number; shown: string };

export type Seen = { problems: string[]; shown: string };

/** Runs one step. What it throws is what is wrong with it. */
export async function takeStep(name: string, work: () => Promise<Seen>): Promise<Step> {
  const startedAtMs = performance.now();
  const seen = await work().catch((error: unknown): Seen => {
    const [first = "", ...rest] = (error instanceof Error ? error.message : String(error)).split("\n");
    return { problems: [first], shown: rest.join("\n") };
  });
  return { name, ...seen, seconds: (performance.now() - startedAtMs) / 1000 };
}

/** The problem, unless this holds. */
export const wrongUnless = (holds: boolean, problem: string): string[] => (holds ? [] : [problem]);
