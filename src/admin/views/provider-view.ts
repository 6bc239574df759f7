import type { ProviderOverview } from "../../catalogue/model.ts";
import type { ProbeResult } from "../../core/probe.ts";
import type { Rekeyed } from "../../core/sealed-credential.ts";

/** A provider as operators see it: of its credential only the place and, of a stored one, the name of the key that opens it. */
export const providerView = (
  { name, baseUrl, credentialRef, sealedCredential, unknownMembers, openMembers, routes }: ProviderOverview,
  credentialProblem: string | null,
) => ({
  name,
  base_url: baseUrl,
  credential: credentialRef,
  credential_key: sealedCredential?.keyId ?? null,
  credential_problem: credentialProblem,
  unknown_members: unknownMembers ?? null,
  open_members: openMembers ?? null,
  routes: routes.map((route) => ({
    id: route.id,
    model: route.modelId,
    published: route.published,
    upstream_model: route.upstreamModel,
    dialect: route.dialect,
    conformant: route.conformant,
  })),
});

export const probeView = ({ status, firstByteMs, wholeMs, problem, examination }: ProbeResult) => ({
  ok: problem === null,
  status,
  problem,
  first_byte_ms: firstByteMs,
  whole_ms: wholeMs,
  names_itself: examination?.model ?? null,
  usage: examination?.usage
    ? { input_tokens: examination.usage.inputTokens, output_tokens: examination.usage.outputTokens }
    : null,
  broken_rules: examination?.broken ?? null,
});

export const rekeyedView = ({ keyId, resealed, current, unopened }: Rekeyed) => ({
  key: keyId,
  resealed,
  current,
  unopened,
});
