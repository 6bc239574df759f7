/** What a provider is told of members that nobody here knows. */
export type MemberPolicy = {
  unknown: "forward" | "drop";
  /** Those that it is told all the same; a name that ends in `*` stands for all that begin so. */
  open: readonly string[];
};

/** What a provider's row says of members. Null or absent: what is usual at its address. */
export type MemberTerms = { unknownMembers?: MemberPolicy["unknown"] | null; openMembers?: readonly string[] | null };

/** Makers of a format, who say themselves what is in it. Their servers refuse what they do not know, or have read it first. */
const MAKERS: readonly string[] = ["api.openai.com", "api.anthropic.com"];

/** What nearly every other server takes beside a format, and what is harmless there: how to choose words, and how to think. */
const USUALLY_OPEN: readonly string[] = [
  "top_k",
  "min_p",
  "repetition_penalty",
  "chat_template_kwargs",
  "reasoning*",
  "thinking",
];

type Row = MemberTerms & { baseUrl: string };

/** Found once for a row, which never changes: an address takes long to read. */
const KNOWN = new WeakMap<Row, MemberPolicy>();

export function memberPolicyOf(row: Row): MemberPolicy {
  const known = KNOWN.get(row);
  if (known !== undefined) return known;
  const policy = policyOf(row);
  KNOWN.set(row, policy);
  return policy;
}

/** A row's own word, else what is usual at its address. */
function policyOf({ baseUrl, unknownMembers, openMembers }: Row): MemberPolicy {
  const made = MAKERS.includes(new URL(baseUrl).hostname);
  return { unknown: unknownMembers ?? (made ? "forward" : "drop"), open: openMembers ?? USUALLY_OPEN };
}
