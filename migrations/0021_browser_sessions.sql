-- Why: people who sign in with clients have no key. They open the console of key holders through the identity provider, and are then in a
-- session as any other, except that nobody has tokens of it and that it ends with its browser's.
-- Locks: a moment of `client_session`, for a column with a constant default.

alter table client_session add column browser boolean not null default false;
