import { CHAT, MESSAGE, type Operation, RESPONSES } from "../contract/operations.ts";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "./gateway-process.ts";
import type { Dialect } from "./provider-dialect.ts";
import { type ScriptedProvider, startScriptedProvider } from "./scripted-provider.ts";

export type Way = { operation: Operation; provider: Dialect; conformant: boolean; name: string };

const OPERATIONS = [CHAT, RESPONSES, MESSAGE];

/** Every way an answer goes from a provider to a caller; the name is that of its model. */
export const WAYS: readonly Way[] = OPERATIONS.flatMap((operation) => [
  { operation, provider: operation.dialect, conformant: true },
  { operation, provider: operation.dialect, conformant: false },
  ...OPERATIONS.filter((other) => other !== operation).map(({ dialect }) => ({
    operation,
    provider: dialect,
    conformant: true,
  })),
]).map((way) => ({
  ...way,
  name: `${way.operation.dialect}-${way.provider}-${way.conformant ? "untouched" : "normalised"}`,
}));

export type ScriptedGateway = { scripted: ScriptedProvider; gateway: GatewayProcess; stop: () => Promise<void> };

/** A gateway with a model for every way, whose provider says what a test writes. */
export async function startScriptedGateway(
  options: { models?: Record<string, TestModel>; settings?: Record<string, string> } = {},
): Promise<ScriptedGateway> {
  const scripted = await startScriptedProvider();
  const routed = ({ provider: dialect, conformant }: Way): TestModel => ({
    upstream: "sim+fail=500",
    dialect,
    priority: 9,
    moreRoutes: [{ provider: "scripted", upstream_model: "m", format: dialect, conformant, priority: 0 }],
  });
  const gateway = await startGatewayProcess({
    providers: [{ name: "scripted", base_url: scripted.url, credential: "none" }],
    models: { ...options.models, ...Object.fromEntries(WAYS.map((way) => [way.name, routed(way)])) },
    ...(options.settings && { settings: options.settings }),
  });
  return {
    scripted,
    gateway,
    stop: async () => {
      scripted.close();
      await gateway.stop();
    },
  };
}
