/** Amazon takes the same request for all models, and refuses of it what the one that is asked does not know. They are told apart by name. */

/** Names have a region in front of the maker, or an address around both. */
const CLAUDE = /\bclaude-/;
const NOVA = /\bnova-/;
const REASONING_NOVA = /\bnova-2-/;
const OF_OPENAI = /\bopenai\./;
const OF_MISTRAL = /\bmistral\./;

export const isClaude = (model: string): boolean => CLAUDE.test(model);
export const isOpenAi = (model: string): boolean => OF_OPENAI.test(model);
/** Whether a model thinks only when it is told to, or unless it is one that always does. */
export const thinksWhenTold = (model: string): boolean => CLAUDE.test(model) || NOVA.test(model);
export const isReasoningNova = (model: string): boolean => REASONING_NOVA.test(model);

/** Whether ids of calls are nine letters and digits. */
export const hasShortCallIds = (model: string): boolean => OF_MISTRAL.test(model);

/** Makers whose models are not to be told which tool to call, or to call any. */
const WITHOUT_CHOICE = /\b(?:ai21|cohere|deepseek|meta|openai|qwen|writer)\./;
export const takesChoice = (model: string): boolean => !WITHOUT_CHOICE.test(model);

/** Whether the tool to be called can be named. */
export const takesNamedChoice = (model: string): boolean => takesChoice(model) && !OF_MISTRAL.test(model);

/** Whether a result may say that the call has failed. */
const WITHOUT_FAILURES = /\b(?:ai21|cohere|deepseek|meta|mistral|openai|qwen|writer)\./;
export const takesFailures = (model: string): boolean => !WITHOUT_FAILURES.test(model);

/** Models that cannot be held to a schema: those of some makers, and all of Claude before 4.5. */
const WITHOUT_SCHEMAS =
  /\b(?:ai21|amazon|cohere|meta|writer)\.|\bdeepseek\.r1|claude-(?:instant|v2|3|(?:opus|sonnet)-4(?:-[01])?(?=$|[:@]|-\D|-20\d{6}))/;
export const takesSchema = (model: string): boolean => !WITHOUT_SCHEMAS.test(model);

/** Where a model can be asked to cache what stands before: Claude anywhere, Nova not behind tools, others nowhere. */
const WITHOUT_CACHE = /claude-(?:instant|v2|3-(?:opus|sonnet|haiku)|3-5-sonnet-20240620)/;
export const cachesTurns = (model: string): boolean =>
  (CLAUDE.test(model) && !WITHOUT_CACHE.test(model)) || NOVA.test(model);
export const cachesTools = (model: string): boolean => cachesTurns(model) && !NOVA.test(model);

/** Whether it can be said for how long: Claude from 4.5 on. */
const WITHOUT_SPANS = /claude-(?:3|(?:opus|sonnet)-4(?:-[01])?(?=$|[:@]|-\D|-20\d{6}))/;
export const takesSpans = (model: string): boolean => CLAUDE.test(model) && !WITHOUT_SPANS.test(model);
