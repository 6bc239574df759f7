import { PROVIDER_DIALECTS, type ProviderDialect } from "../../src/core/request/dialect.ts";

/** Where a trial's only provider is, and how it is called there. */
export type Place = {
  name: string;
  spoken: ProviderDialect;
  /** How the name of the model begins there; what the provider does stands behind it. */
  model: string;
  /** The simulator's addresses of it, and the platform; none where the format is spoken as it is. */
  cloud?: { path: string; platform: string };
};

const CLAUDE = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";

export const PLACES: readonly Place[] = [
  // Converse is spoken in its cloud alone, where a model is asked as its maker's are.
  ...PROVIDER_DIALECTS.filter((spoken) => spoken !== "converse").map((spoken) => ({
    name: spoken,
    spoken,
    model: "sim",
  })),
  { name: "invoke", spoken: "messages", model: CLAUDE, cloud: { path: "", platform: "bedrock" } },
  {
    name: "vertex",
    spoken: "messages",
    model: "claude-sonnet-4-5@20250929",
    cloud: { path: "/v1/projects/acme/locations/eu", platform: "vertex" },
  },
  { name: "converse-claude", spoken: "converse", model: CLAUDE, cloud: { path: "", platform: "bedrock" } },
  {
    name: "converse-openai",
    spoken: "converse",
    model: "openai.gpt-oss-120b-1:0",
    cloud: { path: "", platform: "bedrock" },
  },
  { name: "azure-v1", spoken: "responses", model: "gpt", cloud: { path: "/openai/v1", platform: "azure" } },
  { name: "azure-chat", spoken: "chat", model: "gpt", cloud: { path: "/openai", platform: "azure:2024-10-21" } },
];
