import { measureVariants, type Variant } from "./measure-load.ts";
import type { Sheet } from "./sheet.ts";
import type { Stage } from "./stage.ts";
import { TOLLGATE } from "./subject.ts";

/** The row that the others are compared with: chat completions, with a key that is its own account. */
export const LONE_CHAT = "chat";

/** What a chain of counters and the other formats cost beside chat completions with a lone key, in the same rounds. */
export async function measureChain(stage: Stage): Promise<Sheet> {
  const tollgate = stage.subjects.find(({ name }) => name === TOLLGATE);
  if (tollgate?.chainCredential === undefined) throw new Error("there is no key below a team of an organisation");
  const chained = { ...tollgate, credential: tollgate.chainCredential };
  const variants: Variant[] = [
    { name: LONE_CHAT, subject: tollgate, dialect: "chat" },
    { name: "chain", subject: chained, dialect: "chat" },
    { name: "responses", subject: tollgate, dialect: "responses" },
    { name: "messages", subject: tollgate, dialect: "messages" },
  ];
  const title = "Plain requests: a lone key, a key below a team of an organisation, and other formats";
  return measureVariants(stage, { id: "chain", title, kind: "plain", base: LONE_CHAT, variants });
}
