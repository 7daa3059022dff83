/** `margay approvals rules|forget`: what runs unasked because somebody said so, and taking it back. */
import { callerOf } from "../../host/control/call.ts";
import { EXIT, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import type { RULE_OPERATIONS } from "./rule-actions.ts";
import { timeText } from "../../host/cli/values.ts";

const call = callerOf<typeof RULE_OPERATIONS>();
/** What people type. */
const ID_CHARS = 8;

export const listRules: Run = async (cli) => {
  const rules = await call(cli, "rules.list", {});
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
  const removed = await call(cli, "rules.remove", { id });
  if (cli.json) cli.terminal.out(jsonLine({ removed }));
  else if (removed) cli.terminal.out(`${cli.t("rules.removed", { shown: safeText(removed.shown) })}\n`);
  else cli.terminal.err(`${cli.t("rules.unknown", { id: safeText(id) })}\n`);
  return removed ? EXIT.done : EXIT.failed;
};
