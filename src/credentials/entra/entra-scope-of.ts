const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
const SCOPES: Record<string, string> = {
  "openai.azure.com": "https://cognitiveservices.azure.com/.default",
  "cognitiveservices.azure.com": "https://cognitiveservices.azure.com/.default",
  "services.ai.azure.com": "https://ai.azure.com/.default",
  "openai.azure.us": "https://cognitiveservices.azure.us/.default",
  "cognitiveservices.azure.us": "https://cognitiveservices.azure.us/.default",
};

/**
 * What a token for this host is asked for; null for every host that no token of Entra may be sent to. Exactly one label, the name of
 * a resource, stands before the suffix.
 */
export function entraScopeOf(hostname: string): string | null {
  const dot = hostname.indexOf(".");
  const suffix = hostname.slice(dot + 1);
  if (dot === -1 || !LABEL.test(hostname.slice(0, dot)) || !Object.hasOwn(SCOPES, suffix)) return null;
  return SCOPES[suffix] ?? null;
}
