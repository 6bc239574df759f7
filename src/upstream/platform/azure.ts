import { pathSegment } from "./path-segment.ts";
import type { PlatformConventions } from "./platform-conventions.ts";

/** Microsoft's cloud. The addresses of deployments name a version, and end in `/openai`; the others speak the formats as they are. */
export const azure = (version: string | null): PlatformConventions =>
  version === null
    ? {}
    : {
        chat: { path: (_, model) => `/deployments/${pathSegment(model)}/chat/completions?api-version=${version}` },
        embeddings: { path: (_, model) => `/deployments/${pathSegment(model)}/embeddings?api-version=${version}` },
        responses: { path: () => `/responses?api-version=${version}` },
      };
