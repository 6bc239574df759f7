import { invariant } from "../invariant.ts";
import { type EmbeddingFormat, isEmbedding, type ProviderDialect } from "../request/dialect.ts";
import type { ProviderTerms } from "./provider-terms.ts";
import type { RouteTerms } from "./route-terms.ts";
import type { SealedCredential } from "../secret/sealed-credential.ts";

/** One way to reach a model. Routes come from the catalogue alone; nothing a caller sends can change one. */
export type Route = RouteTerms &
  ProviderTerms & {
    id: string;
    /** Base URL up to and without the operation's path, such as `https://api.example.com/v1`. */
    baseUrl: string;
    /** Where the provider's credential is found: `env:NAME`, `file:PATH`, `stored` or `none`. Never the credential itself. */
    credentialRef: string;
    /** The credential that was stored, where the reference says so. */
    sealedCredential?: SealedCredential | null;
  };

/** One that text is generated along. */
export type GenerationRoute = Route & { dialect: ProviderDialect };

/** One that embeddings are asked for along. */
export type EmbeddingRoute = Route & { dialect: EmbeddingFormat };

const generates = (route: Route): route is GenerationRoute => !isEmbedding(route.dialect);

/** A route that was chosen among those of a model that generates. */
export function generationRoute(route: Route): GenerationRoute {
  invariant(generates(route), "text is generated along routes of formats that generate");
  return route;
}
