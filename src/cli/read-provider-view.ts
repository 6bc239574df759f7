import type { ProviderDialect } from "../core/dialect.ts";
import type { ProbeResult } from "../core/probe.ts";
import type { ListedProvider } from "./operator-control.ts";

/*
 * What the admin listener answers, and what it means. The gateway is of the same version and was asked with the operator's
 * token, so its answers are believed; `remote-catalogue.test.ts` holds them against the database.
 */

export type ProviderView = {
  name: string;
  base_url: string;
  credential: string;
  credential_key: string | null;
  credential_problem: string | null;
  unknown_members: "forward" | "drop" | null;
  open_members: string[] | null;
  routes: {
    id: string;
    model: string;
    published: boolean;
    upstream_model: string;
    dialect: ProviderDialect;
    conformant: boolean;
  }[];
};

export const providerOf = (view: ProviderView): ListedProvider => ({
  name: view.name,
  baseUrl: view.base_url,
  credentialRef: view.credential,
  unknownMembers: view.unknown_members,
  openMembers: view.open_members,
  sealedCredential: view.credential_key === null ? null : { keyId: view.credential_key },
  routes: view.routes.map(({ id, model: modelId, published, upstream_model: upstreamModel, dialect, conformant }) => ({
    id,
    modelId,
    published,
    upstreamModel,
    dialect,
    conformant,
  })),
});

export type ProbeView = {
  status: number | null;
  problem: string | null;
  first_byte_ms: number | null;
  whole_ms: number;
  names_itself: string | null;
  usage: { input_tokens: number | null; output_tokens: number | null } | null;
  broken_rules: string[] | null;
};

export const probeResultOf = (view: ProbeView): ProbeResult => ({
  status: view.status,
  firstByteMs: view.first_byte_ms,
  wholeMs: view.whole_ms,
  problem: view.problem,
  examination:
    view.broken_rules === null
      ? null
      : {
          broken: view.broken_rules,
          model: view.names_itself ?? "",
          usage:
            view.usage === null
              ? null
              : { inputTokens: view.usage.input_tokens, outputTokens: view.usage.output_tokens },
        },
});
