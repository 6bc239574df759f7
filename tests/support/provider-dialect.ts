import type { TestContext } from "vitest";

export type Dialect = "chat" | "responses" | "messages";

/**
 * How the routes of a run lie. Straight: a model's provider speaks the format of its callers. Crossed and turned: it speaks one
 * or the other of the two remaining formats, so that every answer is translated, and the two together are all six crossings.
 */
type Course = "straight" | "crossed" | "turned";

/** By the format of the callers. */
const PROVIDERS: Record<Course, Record<Dialect, Dialect>> = {
  straight: { chat: "chat", responses: "responses", messages: "messages" },
  crossed: { chat: "messages", responses: "chat", messages: "responses" },
  turned: { chat: "responses", responses: "messages", messages: "chat" },
};

/** What the provider of a model speaks whose callers speak this. One route and not two: a second would hide what the first does wrong. */
export const providerDialect = (callers: Dialect): Dialect => PROVIDERS[courseOfRun()][callers];

/** 0, 1 or 2, for what the three courses share among themselves. */
export const courseNumber = (): number => Object.keys(PROVIDERS).indexOf(courseOfRun());

export const translates = (): boolean => courseOfRun() !== "straight";

/** For what by its nature holds only where nothing is translated. The reason stands beside the test in the report of a run, which counts them. */
export function onlyStraight({ skip, task }: Pick<TestContext, "skip" | "task">, reason: string): void {
  if (translates()) Object.assign(task.meta, { onlyStraight: reason });
  skip(translates(), `only where nothing is translated: ${reason}`);
}

/** Said by the project of the test run, see `vitest.config.ts`. */
function courseOfRun(): Course {
  const said = process.env["TEST_ROUTES"] ?? "straight";
  if (said === "straight" || said === "crossed" || said === "turned") return said;
  throw new Error(`TEST_ROUTES is ${said}, which is no course of routes`);
}
