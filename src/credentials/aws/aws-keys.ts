import type { Secret } from "../../core/secret/secret.ts";

/** What AWS requests are signed with. Keys of a role have a session token, which is sent along. */
export type AwsKeys = { accessKeyId: string; secretAccessKey: Secret; sessionToken: Secret | null };
