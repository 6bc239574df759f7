import { get } from "node:http";

/** How long a health check takes, which needs no ledger: what the machine adds to everything else at the same moment. */
export async function pingMs({ url }: { url: string }): Promise<number> {
  const startedMs = performance.now();
  await new Promise<void>((resolve) => {
    get(`${url}/healthz`, { agent: false }, (response) => response.resume().once("close", resolve)).once("error", () =>
      resolve(),
    );
  });
  return performance.now() - startedMs;
}
