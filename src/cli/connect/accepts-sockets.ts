import { randomBytes } from "node:crypto";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import type { ClientConnection } from "./connection.ts";

const TIMEOUT_MS = 10_000;

/** Whether a WebSocket for responses can be opened there with this key, through whatever is on the way. It is closed again unused. */
export function acceptsSockets({ origin, key }: Pick<ClientConnection, "origin" | "key">): Promise<boolean> {
  const url = new URL(`${origin}/v1/responses`);
  return new Promise((resolve) => {
    const asking = (url.protocol === "https:" ? secureRequest : plainRequest)(url, {
      headers: {
        authorization: `Bearer ${key}`,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": randomBytes(16).toString("base64"),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    asking.once("upgrade", (_response, socket) => {
      socket.destroy();
      resolve(true);
    });
    asking.once("response", (response) => {
      response.destroy();
      resolve(false);
    });
    asking.once("error", () => resolve(false));
    asking.end();
  });
}
