/** A credential file of Google with the name that messages give it. */
export type CredentialFile = { name: string; members: Readonly<Record<string, unknown>> };
