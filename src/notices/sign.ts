import { createHmac } from "node:crypto";

type Signed = { id: string; timestamp: number; body: string };

/** The headers of the Standard Webhooks specification, version 1.0.0. Each secret signs, so that a receiver may change to the next. */
export const signedHeaders = ({ id, timestamp, body }: Signed, secrets: readonly string[]): Record<string, string> => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": secrets.map((secret) => `v1,${signature(secret, `${id}.${timestamp}.${body}`)}`).join(" "),
});

const signature = (secret: string, content: string): string =>
  createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(content)
    .digest("base64");
