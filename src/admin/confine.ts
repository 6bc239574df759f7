import { Fault } from "../core/fault.ts";
import { Forbidden } from "../core/forbidden.ts";
import type { Identify, PlaceKind } from "../entrance/identify.ts";
import type { Access, AccessSubject } from "./access-table.ts";

type Fields = Record<string, unknown>;
type Given = Record<"params" | "query" | "body", unknown>;

const KINDS: readonly PlaceKind[] = ["account", "key", "holder", "person"];

/**
 * What a lead's request touches must lie in the lead's subtree; what does not is as good as absent. The names in the request are
 * replaced by the ids that were looked at, so that the handler finds the same.
 */
export async function confine<Asked extends Given>(
  asked: Asked,
  { subtree }: Pick<Access, "subtree">,
  { within, place }: { within: readonly string[]; place: Identify["place"] },
): Promise<Asked> {
  let confined = asked;
  for (const subject of Array.isArray(subtree) ? (subtree as readonly AccessSubject[]) : []) {
    const [part, name] = fieldOf(subject);
    const given = confined[part] as Fields | string | undefined;
    // A body of one field is read as what stands in it.
    const isField = typeof given === "string";
    const value = isField ? given : given?.[name];
    if ("never" in subject) {
      if (value !== undefined && value !== null)
        throw new Forbidden(`${name}: this needs a role that holds everywhere. Yours holds for some accounts alone.`);
      continue;
    }
    if ((value === undefined || value === null) && subject.optional) continue;
    if (typeof value !== "string")
      throw new Forbidden(`Name ${name}: your role holds for some accounts alone, so this must be in one of them.`);
    const kind = KINDS.find((one) => one in subject) as PlaceKind;
    const found = await place(kind, value, within);
    if (!found?.isInside)
      throw new Fault("not_found", "There is nothing of this name in the accounts that your role holds for.");
    if ("below" in subject && found.isTop)
      throw new Forbidden(
        "Your role begins with this account: you manage what is below it. An operator above manages the account itself.",
      );
    confined = { ...confined, [part]: isField ? found.id : { ...given, [name]: found.id } };
  }
  return confined;
}

function fieldOf(subject: AccessSubject): [part: keyof Given, name: string] {
  const field = Object.values(subject).find((value) => typeof value === "string") as string;
  const [part = "", ...name] = field.split(".");
  return [part as keyof Given, name.join(".")];
}
