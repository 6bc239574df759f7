/** Where providers of messages differ from each other. */
export type MessagesQuirks = {
  /** Whose cloud the model is in, if that has an older idea of what stands in a body; null: the maker's own. */
  cloud: MessagesCloud | null;
};

export type MessagesCloud = "bedrock" | "vertex";
