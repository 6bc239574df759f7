import type { Control } from "../app.ts";
import type { MemberTerms } from "../core/member-policy.ts";
import type { ProbeResult, ProbeTarget } from "../core/probe.ts";
import type { Rekeyed, SealedCredential } from "../core/sealed-credential.ts";

type Store = Control["catalogue"];
type StoredProvider = Awaited<ReturnType<Store["listProviders"]>>[number];
type StoredModel = Awaited<ReturnType<Store["listModels"]>>[number];

/** What commands can do to the catalogue, whether through a database or through a running gateway. A credential is never among what they are shown. */
// Second of its name: commands never meet the catalogue in memory.
export type Catalogue = Pick<
  Store,
  "addModel" | "apply" | "changePrice" | "importModels" | "prices" | "publish" | "removeProvider" | "removeRoute"
> & {
  listProviders: () => Promise<ListedProvider[]>;
  listModels: (atMs: number) => Promise<ListedModel[]>;
  /** A `secret` is sealed by whoever has the key, here or there. */
  addProvider: (order: NewProvider, present: "keep" | "replace") => Promise<AddedProvider>;
  rekeyProviders: () => Promise<Rekeyed>;
  /** Makes one small call to a provider of the catalogue, at its price, from where its credential can be had. */
  probeProvider: (name: string, target: ProbeTarget) => Promise<ProbeResult>;
};

type ShownCredential = { sealedCredential?: Pick<SealedCredential, "keyId"> | null };

export type ListedProvider = Omit<StoredProvider, "sealedCredential"> & ShownCredential;

/** Address and credential of a route are the provider's. */
// Second of its name: commands never meet the public list of models.
export type ListedModel = Omit<StoredModel, "routes"> & {
  routes: readonly Omit<
    StoredModel["routes"][number],
    "baseUrl" | "credentialRef" | "sealedCredential" | keyof MemberTerms
  >[];
};

export type NewProvider = MemberTerms & {
  name: string;
  baseUrl: string;
  credentialRef: string;
  secret: string | null;
};

/** `credentialProblem`: why the gateway cannot have the credential; null when it can, or when no gateway was asked. */
export type AddedProvider = ShownCredential & { result: string; credentialProblem: string | null };
