/** Clouds whose addresses, bodies and streams differ from those of the format that their models speak. */
export type PlatformName = "vertex" | "bedrock" | "azure";

/** How a provider's row names one, without anchors. Azure's with a version is that of the addresses of deployments. */
export const PLATFORM = String.raw`vertex|bedrock|azure(?::\d{4}-\d{2}-\d{2}(?:-preview)?)?`;

/** `version`: that of Azure's API, where the address of each call names it. */
export type Platform = { name: PlatformName; version: string | null };

/** Of what is no platform, as a later version may have written it, nothing is known. */
export function readPlatform(text: string): Platform | null {
  if (!new RegExp(`^(?:${PLATFORM})$`).test(text)) return null;
  const [name, version = null] = text.split(":") as [PlatformName, string?];
  return { name, version };
}
