import { Argument, type Command, Option } from "commander";
import { acceptedAlarm } from "../../../contract/models.ts";
import { systemClock } from "../../../core/clock.ts";
import { ACCEPTABLE_ALARMS, type AcceptableAlarm, type AcceptedAlarm } from "../../../core/money/money-alarm.ts";
import { written } from "../../../wire/validate.ts";
import { isoDate } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { CommandError } from "../../report-failure.ts";
import { alarmListing } from "../../text/catalogue/model-text.ts";
import { printable } from "../../text/cell.ts";
import { printResult } from "../../text/print.ts";

type Action = "accept" | "withdraw" | undefined;
type Options = { reason?: string; until?: string; json?: true };

/** `tollgate models alarms`. */
export function addAlarmsCommand(models: Command): void {
  models
    .command("alarms")
    .argument("<model>", "model id")
    .addArgument(new Argument("[action]", "without it, what is accepted is listed").choices(["accept", "withdraw"]))
    .addArgument(new Argument("[kind]", "kind of alarm").choices(ACCEPTABLE_ALARMS))
    .description("list the money alarms accepted for a model, accept a kind so that it does not alert, or withdraw it")
    .option("--reason <text>", "why it is accepted")
    .addOption(
      new Option("--until <date>", "when it alerts again, such as 2027-01-31 (default: when withdrawn)").argParser(
        isoDate,
      ),
    )
    .option("--json", "print JSON")
    .action(
      async (
        id: string,
        action: Action,
        kind: AcceptableAlarm | undefined,
        { reason, until, json }: Options,
        command: Command,
      ) => {
        if (action !== undefined && kind === undefined)
          throw new CommandError(`name the kind of alarm: ${ACCEPTABLE_ALARMS.join(", ")}.`);
        if (action === "accept" && reason === undefined) throw new CommandError("say why with --reason.");
        if (action !== "accept" && (reason !== undefined || until !== undefined))
          throw new CommandError("--reason and --until are for accept.");
        await withOperator(command, async ({ catalogue }, by) => {
          const print = (one: AcceptedAlarm, text: string): void =>
            printResult(
              { model: id, ...written(acceptedAlarm, one) },
              { json: json === true, text: () => `${one.kind} ${text} for ${printable(id)}.` },
            );
          if (action === "accept" && kind !== undefined) {
            const untilMs = until === undefined ? null : Date.parse(until);
            const accepted = await catalogue.acceptAlarm(id, { kind, reason: reason ?? "", untilMs }, by);
            print(accepted, `does not alert${until === undefined ? "" : ` until ${until}`}`);
          } else if (kind !== undefined) {
            print(await catalogue.withdrawAlarm(id, kind, by), "alerts again");
          } else {
            const { acceptedAlarms } = await catalogue.showModel(id);
            printResult(
              { model: id, accepted_alarms: acceptedAlarms.map((one) => written(acceptedAlarm, one)) },
              {
                json: json === true,
                text: (screen) => alarmListing(acceptedAlarms, { screen, nowMs: systemClock.nowMs() }),
              },
            );
          }
        });
      },
    );
}
