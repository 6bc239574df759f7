/** What stands in place of what is not passed on. */
const SCRUBBED = "[…]";

/** More than is ever shown, and little enough to look at whole. */
const MOST_READ = 4_096;
const MOST_SHOWN = 500;
/** No word that helps anybody is longer. */
const MOST_RUN = 128;

/** Between these stands one thing that is judged as a whole: a word, a number, a path, an address, a key. */
const RUNS = /[^\s"'`´‘’“”()<>[\]{},;|]+/g;
const LEADING = /^[*.:!?#=&…-]+/;
const TRAILING = /[*.:!?#=&…-]+$/;

/** Names of accounts and of keys, by how their issuers begin them. */
const ISSUED =
  /^(?:sk|pk|rk|gsk|xai|hf|ghp|gho|glpat|nvapi|org|proj|acct|req|wrkspc|ws|tenant|arn)[-_:]|^AIza|^A[KS]IA[0-9A-Z]|^eyJ[\w-]|^ip-\d/i;
/** Ids of calls, which the caller sent itself, and by which it finds what is wrong. */
const CALL_ID = /^(?:toolu|call|fc|ctc|rs|msg)_[\w-]{1,64}$/;
/** After these words stands what they name. */
const NAMING =
  /^(?:organi[sz]ation|org|project|account|tenant|workspace|deployment|subscription|bucket|host|hostname|node|pod|worker|cluster|machine|region)s?$/i;
const FILLER = /^(?:id|ids|name|named|number|is|called)$/i;
const SECRET_NAME = /(?:key|token|secret|password|passwd|pwd|signature|sig|credential|authorization|auth|session)$/i;
const SCHEME = /^(?:bearer|basic|digest)$/i;

/** The members under which the formats report a mistake. A dotted path begins with one of them; anything else with dots is a host. */
const ROOTS = new Set(
  (
    "$ body request messages input tools tool tool_choice system instructions response_format text reasoning thinking output_config " +
    "output_format metadata stream_options functions function function_call parameters properties input_schema schema json_schema content " +
    "source context_management cache_control web_search_options prediction audio logit_bias generationConfig generation_config contents " +
    "systemInstruction safetySettings toolConfig extra_body image_url input_image input_file file document choices delta item items prompt " +
    "tool_use tool_result tool_calls custom_tool message include additionalProperties inferenceConfig toolSpec"
  ).split(" "),
);
/** How hosts end, those of private networks too. */
const HOST_ENDS =
  /^(?:com|net|org|io|ai|dev|app|cloud|local|localhost|localdomain|internal|intern|intranet|lan|home|corp|svc|cluster|arpa|run|sh|co|eu|us|uk|de|fr|cn|jp|in)$/i;
/** Resources of a provider's account, by what stands before the slash. */
const ACCOUNT_PATH =
  /^(?:projects|accounts|organizations|users|folders|locations|deployments|subscriptions|tenants|workspaces|endpoints|home|root|var|usr|opt|etc|srv|tmp|mnt|data|app|run)\//i;
/** Models of an account's own are called after it. */
const PRIVATE_MODEL = /^arn:|(?:^|\/)(?:accounts|projects|organizations|deployments)\//i;
const ROUTE = /^\/?v\d[a-z\d]*\/(?:chat\/completions|completions|responses|messages|embeddings|models)$/;

/**
 * A provider's words as a caller may read them. What a message about a request is made of passes: words, numbers, names of
 * fields and of models, paths into the body. Anything else may be a key, an account, a host, a file or an address of ours, and is
 * replaced, whoever's shape it has. `model` is what the provider was asked for, and may be named. Looks at a bounded text once,
 * run by run.
 */
export function scrub(text: string, model = ""): string {
  let naming = false;
  let scheme = false;
  const shown = beginningOf(text).replace(RUNS, (given) => {
    const lead = LEADING.exec(given)?.[0] ?? "";
    const run = given.slice(lead.length).replace(TRAILING, "");
    const rest = given.slice(lead.length + run.length);
    if (run === "") return given;
    const named = naming && /[\d_-]/.test(run);
    const passes = !scheme && !named && (isHarmless(run, lead) || (run === model && !PRIVATE_MODEL.test(model)));
    scheme = SCHEME.test(run);
    naming = !/[.!?]/.test(rest) && (NAMING.test(run) || (naming && FILLER.test(run)));
    return passes ? given : `${lead === "." ? "" : lead}${SCRUBBED}${rest}`;
  });
  return shown.slice(0, MOST_SHOWN);
}

/** A run that is cut in two could pass for something harmless, so that the last one goes. */
function beginningOf(text: string): string {
  return text.length <= MOST_READ ? text : text.slice(0, MOST_READ).replace(/[^\s]*$/, SCRUBBED);
}

function isHarmless(run: string, lead: string): boolean {
  if (run.length > MOST_RUN) return false;
  if (ROUTE.test(run)) return true;
  const equals = run.indexOf("=");
  if (equals !== -1) {
    const name = run.slice(0, equals);
    return !SECRET_NAME.test(name) && isHarmless(name, "") && isHarmless(run.slice(equals + 1), "");
  }
  if (!/[\p{L}\d]/u.test(run)) return true;
  if (/[@\\:~^?&]|%[\da-f]{2}/i.test(run)) return false;
  if (ISSUED.test(run)) return /^[a-z]+_ids?$/.test(run);
  if (CALL_ID.test(run)) return true;
  const [first = "", second, ...more] = run.split("/");
  if (second === undefined) return isName(first, lead);
  if (more.length > 0 || first === "" || ACCOUNT_PATH.test(run)) return false;
  return isName(first, "") && isName(second, "");
}

/** A word, a number, the name of a field or of a model, or a path into a body. */
function isName(run: string, lead: string): boolean {
  if (/^\d{1,3}(?:\.\d{1,3}){3,}$/.test(run)) return false;
  // A dot between digits belongs to a number or a version, and one between single letters to an abbreviation.
  const labels = run.split(/(?<!\d)\.|\.(?!\d)/);
  const [root = ""] = labels;
  if (labels.length > 1 && !isPath(labels, ROOTS.has(root) || lead === ".")) return false;
  return labels.every((label) => label.split(/[._+*<>=-]/).every((part) => isWord(part)));
}

function isPath(labels: readonly string[], rooted: boolean): boolean {
  if (labels.every((label) => label.length <= 1)) return true;
  return rooted && !HOST_ENDS.test(labels.at(-1) ?? "");
}

const LONGEST_WORD = 24;
const LONGEST_NUMBER = 9;
/** `4o`, `70B`, `8x7b`: of letters and digits together no more than this is a name. */
const LONGEST_MIXTURE = 6;

function isWord(part: string): boolean {
  if (/^\d*$/.test(part)) return part.length <= LONGEST_NUMBER;
  if (/\d/.test(part)) return part.length <= LONGEST_MIXTURE;
  if (part.length > LONGEST_WORD) return false;
  // Names of fields change their case at the beginning of a word; what was drawn at random does so at every other letter.
  const changes = part.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0;
  return part.length < 8 || changes <= part.length / 5;
}
