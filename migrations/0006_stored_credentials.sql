-- Why: a provider's credential may be stored, encrypted with a key that is not in the database.
-- Locks: the provider table, for the moment it takes to check its few rows. The catalogue is not read meanwhile; requests go on.

alter table provider
  drop constraint provider_credential_ref_check,
  add constraint provider_credential_ref_check
    check (credential_ref ~ '^(env:[A-Z][A-Z0-9_]*|file:/.*|stored|none)$'),
  -- Which key sealed it. Nonce, tag and ciphertext follow each other in the box, which opens for this row's name and host alone.
  add column credential_key_id text check (credential_key_id ~ '^[0-9a-f]{16}$'),
  add column credential_box bytea check (length(credential_box) between 29 and 65564),
  -- Together or not at all; and nothing stays behind once the credential is found elsewhere.
  add constraint provider_credential_stored check (
    (credential_key_id is null) = (credential_box is null) and (credential_box is null or credential_ref = 'stored')
  );
