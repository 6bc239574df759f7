import type { TestContext } from "vitest";

export type Dialect = "chat" | "responses" | "messages";
/** The formats of providers: those of callers, and those that only providers speak. */
export type Spoken = Dialect | "gemini" | "converse";

/**
 * How the routes of a run lie. Straight: a model's provider speaks the format of its callers. Crossed and turned: it speaks one
 * or the other of the two remaining formats, so that every answer is translated, and the two together are all six crossings.
 * Gemini and Converse: every provider speaks that, and no caller does.
 */
type Course = "straight" | "crossed" | "turned" | "gemini" | "converse";

/** By the format of the callers. */
const PROVIDERS: Record<Course, Record<Dialect, Spoken>> = {
  straight: { chat: "chat", responses: "responses", messages: "messages" },
  crossed: { chat: "messages", responses: "chat", messages: "responses" },
  turned: { chat: "responses", responses: "messages", messages: "chat" },
  gemini: { chat: "gemini", responses: "gemini", messages: "gemini" },
  converse: { chat: "converse", responses: "converse", messages: "converse" },
};

/** What the provider of a model speaks whose callers speak this. One route and not two: a second would hide what the first does wrong. */
export const providerDialect = (callers: Dialect): Spoken => PROVIDERS[courseOfRun()][callers];

/** From 0, for what the courses share among themselves. */
export const courseNumber = (): number => Object.keys(PROVIDERS).indexOf(courseOfRun());

export const translates = (): boolean => courseOfRun() !== "straight";

/** For what by its nature holds only where nothing is translated. The reason stands beside the test in the report of a run, which counts them. */
export function onlyStraight({ skip, task }: Pick<TestContext, "skip" | "task">, reason: string): void {
  if (translates()) Object.assign(task.meta, { onlyStraight: reason });
  skip(translates(), `only where nothing is translated: ${reason}`);
}

/** For what providers of a format that no caller speaks have no place for, or by their nature do otherwise. */
export function notAt(
  spoken: "gemini" | "converse" | "both",
  { skip, task }: Pick<TestContext, "skip" | "task">,
  reason: string,
): void {
  const course = courseOfRun();
  const isThere = spoken === "both" ? course === "gemini" || course === "converse" : course === spoken;
  if (isThere) Object.assign(task.meta, { onlyStraight: reason });
  skip(isThere, `not at providers of ${course}: ${reason}`);
}

/** Said by the project of the test run, see `vitest.config.ts`. */
function courseOfRun(): Course {
  const said = process.env["TEST_ROUTES"] ?? "straight";
  if (Object.hasOwn(PROVIDERS, said)) return said as Course;
  throw new Error(`TEST_ROUTES is ${said}, which is no course of routes`);
}
