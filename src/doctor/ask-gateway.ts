import type { GatewayWord } from "./patient.ts";

const TIMEOUT_MS = 2_000;
const ANYWHERE: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);
/** Somebody listens there, and cannot answer. */
const SILENT: ReadonlySet<unknown> = new Set(["ECONNRESET", "UND_ERR_SOCKET"]);

/** Asks the admin listener of the gateway on this machine; null where nobody answers as one does. */
export async function askGateway({ host, port }: { host: string; port: number }): Promise<GatewayWord | null> {
  const name = ANYWHERE.has(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  try {
    const response = await fetch(`http://${name}:${port}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { status, reasons } = (await response.json()) as Partial<GatewayWord>;
    return status === undefined || !Array.isArray(reasons) ? null : { status, reasons };
  } catch (error) {
    const { name: kind, cause } = error as Error & { cause?: { code?: unknown } };
    if (kind !== "TimeoutError" && !SILENT.has(cause?.code)) return null;
    return {
      status: "unavailable",
      reasons: [`It takes connections at ${name}:${port} and does not answer. Look at its log and at its open files.`],
    };
  }
}
