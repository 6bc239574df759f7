import type { KeycloakServer } from "./keycloak-server.ts";
import type { Realm } from "./realm.ts";
import type { KeycloakStage } from "./stage.ts";

export type Played = { stage: KeycloakStage; realm: Realm; server: Pick<KeycloakServer, "freeze" | "thaw"> };

/** What is to hold with Keycloak. Answers what was seen, in figures; null: it can't be tried here. */
export type Step = { name: string; run: (played: Played) => Promise<string | null> };

/** A busy machine may take long over one check of all people. */
export const PATIENT_MS = 60_000;

export async function seconds(work: () => Promise<unknown>): Promise<string> {
  const startedMs = performance.now();
  await work();
  return `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
}
