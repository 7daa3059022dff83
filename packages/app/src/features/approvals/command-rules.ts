/** `margay approvals rules|forget`: what runs unasked because somebody said so, and taking it back. */
import { performAtHolder } from "../../host/control/ask-holder.ts";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { performRules, type RulesAnswer } from "./rule-actions.ts";
import { timeText } from "../../host/cli/values.ts";

const PATIENCE_MS = 5000;
/** What people type. */
const ID_CHARS = 8;

export const listRules: Run = async (cli) => {
  const { rules } = await request(cli);
  if (cli.json) cli.terminal.out(jsonLine(rules));
  else if (rules.length === 0) cli.terminal.out(`${cli.t("rules.none")}\n`);
  else
    for (const { id, shown, by, at } of rules)
      cli.terminal.out(
        `${id.slice(0, ID_CHARS)} ${safeText(shown)}\n  ${cli.t("rules.by", { by: safeText(by), when: timeText(at) })}\n`,
      );
  return EXIT.done;
};

export const forgetRule: Run = async (cli, input) => {
  const id = input.args[0] ?? "";
  const { removed } = await request(cli, id);
  if (cli.json) cli.terminal.out(jsonLine({ removed: removed ?? null }));
  else if (removed) cli.terminal.out(`${cli.t("rules.removed", { shown: safeText(removed.shown) })}\n`);
  else cli.terminal.err(`${cli.t("rules.unknown", { id: safeText(id) })}\n`);
  return removed ? EXIT.done : EXIT.failed;
};

function request(cli: Cli, remove?: string): Promise<RulesAnswer> {
  const mail = { type: "rules" as const, ...(remove !== undefined && { remove }) };
  return performAtHolder(cli, mail, PATIENCE_MS, ({ inside }) =>
    Promise.resolve(performRules(mail, inside.savedRules)),
  );
}
