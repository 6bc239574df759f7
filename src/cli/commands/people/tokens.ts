import { type Command, Option } from "commander";
import { type Role, ROLES } from "../../../core/people/role.ts";
import { newToken, tokenMade, tokenPage, tokenRevoked } from "../../../contract/tokens.ts";
import { validate, written } from "../../../wire/validate.ts";
import { accountName, countUpTo } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { addPageOptions, type PageOptions, readPages } from "../../page-options.ts";
import { printResult } from "../../text/print.ts";
import { tokenAdvice, tokenListing, tokenName } from "../../text/people/token-text.ts";
import { PERSON_HELP } from "./people.ts";

const MOST_DAYS = 365;

/** `tollgate tokens …`. */
export function addTokenCommands(program: Command): void {
  const tokens = program
    .command("tokens")
    .description("personal tokens, with which programs act as a person: create, list, revoke");
  addCreateCommand(tokens);

  addPageOptions(tokens.command("list").description("list tokens, newest first, revoked and expired ones too"), 100)
    .option("--person <person>", `whose: ${PERSON_HELP} (default: everybody's that you may see)`)
    .option("--json", "print JSON")
    .action(async (options: PageOptions & { person?: string; json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const { person = null } = options;
        const list = await readPages(options, (request) => operator.tokens.list({ ...request, person }));
        const page = written(tokenPage, list);
        printResult(page, { json: options.json === true, text: (screen) => tokenListing(page, screen) });
      });
    });

  tokens
    .command("revoke")
    .argument("<token>", "id of the token, as listed")
    .description("revoke a token; it ends with its next request")
    .option("--json", "print JSON")
    .action(async (id: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const revoked = await operator.tokens.revoke(id, { ...by, only: null });
        const { token, changed } = written(tokenRevoked, revoked);
        const text = `${tokenName(token)} ${changed ? "is now" : "was already"} revoked.`;
        printResult({ token, changed }, { json: options.json === true, text: () => text });
      });
    });
}

type CreateOptions = { name: string; role?: Role; account?: string; days: number; json?: true };

function addCreateCommand(tokens: Command): void {
  tokens
    .command("create")
    .argument("<person>", `whose it is: ${PERSON_HELP}`)
    .description("create a personal token and print its secret, which is never shown again")
    .requiredOption("--name <text>", "what it is for")
    .addOption(new Option("--role <role>", "narrow it to what this role allows").choices(ROLES))
    .option("--account <account>", "narrow it to this account and all below it: id, or names", accountName)
    .option("--days <number>", `days until it expires, at most ${MOST_DAYS}`, countUpTo(MOST_DAYS), 90)
    .option("--json", "print JSON")
    .action(async (of: string, options: CreateOptions, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const { name, role = null, account = null, days } = options;
        const order = validate(newToken, { name, role, account, days });
        const made = written(tokenMade, await operator.tokens.create({ ...order, person: of }, by));
        const { token, secret } = made;
        if (!options.json) process.stderr.write(tokenAdvice(token));
        printResult(made, { json: options.json === true, text: () => secret });
      });
    });
}
