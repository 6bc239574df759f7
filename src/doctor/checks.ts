import type { Check, CheckId } from "./check.ts";
import { CATALOGUE_CHECKS } from "./checks/catalogue-checks.ts";
import { DATABASE_CHECKS } from "./checks/database-checks.ts";
import { HOST_CHECKS } from "./checks/host-checks.ts";
import { LEDGER_CHECKS } from "./checks/ledger-checks.ts";
import { PROXY_CHECKS } from "./checks/proxy-checks.ts";
import { SERVER_CHECKS } from "./checks/server-checks.ts";
import { SETTINGS_CHECKS } from "./checks/settings-checks.ts";
import type { Patient } from "./patient.ts";

/** Every check, in the order in which they are run and shown. */
export const CHECKS: readonly Check[] = [
  ...SETTINGS_CHECKS,
  ...HOST_CHECKS,
  ...SERVER_CHECKS,
  ...DATABASE_CHECKS,
  ...LEDGER_CHECKS,
  ...CATALOGUE_CHECKS,
  ...PROXY_CHECKS,
];

const ON_A_SERVER = /^(?:database|ledger)-/;

/** Those that have something to look at: the database of `tollgate dev` is inside its process. */
export const checksFor = ({ isDev }: Pick<Patient, "isDev">): readonly Check[] =>
  isDev ? CHECKS.filter(({ id }) => !ON_A_SERVER.test(id)) : CHECKS;

/** One check and all that it comes after, in order. */
export function checksLeadingTo(id: CheckId): readonly Check[] {
  const wanted = new Set<CheckId>([id]);
  for (const known of wanted)
    for (const before of CHECKS.find((one) => one.id === known)?.after ?? []) wanted.add(before);
  return CHECKS.filter((check) => wanted.has(check.id));
}
