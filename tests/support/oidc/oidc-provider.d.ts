/** The package brings no types; these are what the harness uses of it. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  type Context = {
    oidc: {
      client: { clientId: string };
      session: { accountId: string };
      params: { scope?: string };
      provider: Provider;
    };
  };
  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    Grant: new (properties: { accountId: string; clientId: string }) => {
      addOIDCScope: (scope: string) => void;
      save: () => Promise<string>;
    };
  }
}
