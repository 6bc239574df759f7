-- Why: calls to a provider can be signed with the identity that a gateway has in a cloud. Nothing changes for those that are there. A
-- program that does not know these references has no credential for such a provider, and says so.
-- Locks: exclusive on provider, for a moment: it has a row for each provider, and each is looked at.
-- Compatible: programs from 0039 on.

alter table provider drop constraint provider_credential_ref_check;
alter table provider add constraint provider_credential_ref_check
  check (credential_ref ~ '^(env:[A-Z][A-Z0-9_]*|file:/.*|stored|none|aws|aws:arn:.*|google|entra)$');
